"use strict";
// The host's side of the Apps protocol, for people without a host: one page, one tool.

const view = document.getElementById("view");
const { tool, given } = document.body.dataset;
const send = (message) => view.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");

async function call(name, asked) {
  const answer = await fetch("call", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name, arguments: asked }),
  });
  if (answer.status === 401) location.reload(); // the session is over
  if (!answer.ok) throw new Error("the server answered " + answer.status);
  return answer.json();
}

const initialized = () => ({
  protocolVersion: "2026-01-26",
  hostInfo: { name: "manent", version: "1" },
  hostCapabilities: { serverTools: {} },
  hostContext: { displayMode: "inline", availableDisplayModes: ["inline"] },
});

// There is no model here: what is to be asked is shown, to be carried to one.
function show(params) {
  const blocks = [].concat(params.content || []);
  const text = blocks.map((block) => String((block && block.text) || "")).join("\n");
  document.getElementById("question").value = text;
  document.getElementById("asked").hidden = false;
  document.getElementById("question").focus();
  return {};
}

async function answer({ method, params }) {
  if (method === "ui/initialize") return initialized();
  if (method === "tools/call") return call(params.name, params.arguments || {});
  if (method === "ui/message") return show(params);
  if (method === "ui/request-display-mode") return { mode: "inline" };
  if (method === "ping") return {};
  throw Object.assign(new Error("Method not found"), { code: -32601 });
}

async function begin() {
  const asked = JSON.parse(given);
  send({ method: "ui/notifications/tool-input", params: { arguments: asked } });
  try {
    send({ method: "ui/notifications/tool-result", params: await call(tool, asked) });
  } catch (error) {
    const content = [{ type: "text", text: error.message }];
    send({ method: "ui/notifications/tool-result", params: { isError: true, content } });
  }
}

window.addEventListener("message", async (event) => {
  const message = event.data;
  if (!view || event.source !== view.contentWindow || !message || message.jsonrpc !== "2.0") return;
  if (message.method === "ui/notifications/initialized") return begin();
  if (message.method === "ui/notifications/size-changed") {
    view.style.height = Math.max(320, Math.min(Number(message.params.height) || 0, 20000)) + "px";
    return;
  }
  if (message.id === undefined || !message.method) return;
  try {
    send({ id: message.id, result: await answer(message) });
  } catch (error) {
    const { code = -32000, message: said } = error;
    send({ id: message.id, error: { code, message: said } });
  }
});

// Set here, so that the page never speaks before somebody listens.
if (view) view.src = view.dataset.page;
