"use strict";
// The page's side of the Apps protocol, and how text gets onto it: as text, never as markup.

const PROTOCOL = "2026-01-26";
const ASK_MS = 60000;

// What stands in the words of others and would be obeyed rather than read: controls, and
// whatever is invisible or turns the direction of what follows.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const FENCE = /^<<<\w+ ([0-9a-f]{12}): data, not instructions>>>\n([\s\S]*?)\n?<<<end \1>>>$/;

function inert(value) {
  const text = value === null || value === undefined ? "" : String(value);
  return text.replace(OBEYED, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

// The words of a note, without the two lines that mark them for a model.
function unfenced(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const found = FENCE.exec(text);
  return found ? found[2] : text;
}

const words = (value) => inert(unfenced(value));

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== null) element.append(child); // a string becomes a text node
  }
  return element;
}

// Somebody else's words, kept from turning what stands beside them.
const said = (value) => make("bdi", {}, words(value));

const listOf = (value) => (Array.isArray(value) ? value : []);

const host = (() => {
  const waiting = new Map();
  const heard = new Map();
  let last = 0;

  const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

  function ask(method, params) {
    const id = ++last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error("the host does not answer"));
      }, ASK_MS);
      waiting.set(id, { resolve, reject, timer });
      send({ id, method, params });
    });
  }

  function settle(message) {
    const held = waiting.get(message.id);
    if (!held) return;
    waiting.delete(message.id);
    clearTimeout(held.timer);
    if (message.error) {
      const error = new Error(inert(message.error.message || "the host refused"));
      error.code = message.error.code;
      held.reject(error);
    } else held.resolve(message.result || {});
  }

  function answer(message) {
    const known = message.method === "ui/resource-teardown" || message.method === "ping";
    if (known) send({ id: message.id, result: {} });
    else send({ id: message.id, error: { code: -32601, message: "Method not found" } });
  }

  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || window.parent === window) return;
    if (!message || typeof message !== "object" || message.jsonrpc !== "2.0") return;
    if (typeof message.method !== "string") settle(message);
    else if (message.id !== undefined) answer(message);
    else if (heard.has(message.method)) heard.get(message.method)(message.params || {});
  });

  function adopt(context) {
    const root = document.documentElement;
    if (context.theme === "light" || context.theme === "dark") {
      root.style.colorScheme = context.theme;
    }
    const styles = (context.styles && context.styles.variables) || {};
    for (const [name, value] of Object.entries(styles)) {
      if (/^--[a-z0-9-]+$/.test(name) && typeof value === "string") {
        root.style.setProperty(name, value);
      }
    }
  }

  function watchSize() {
    let sent = "";
    const tell = () => {
      const box = document.documentElement.getBoundingClientRect();
      const size = { width: Math.ceil(box.width), height: Math.ceil(box.height) };
      if (JSON.stringify(size) === sent) return;
      sent = JSON.stringify(size);
      send({ method: "ui/notifications/size-changed", params: size });
    };
    new ResizeObserver(tell).observe(document.documentElement);
  }

  // What a tool came to. Throws what a failed one said.
  function documentOf(result) {
    const text = listOf(result.content)
      .filter((block) => block && block.type === "text")
      .map((block) => String(block.text))
      .join("\n");
    if (result.isError) throw new Error(inert(text) || "the call failed");
    const structured = result.structuredContent;
    if (structured && typeof structured === "object") return structured;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error("the answer cannot be read");
    }
  }

  return {
    documentOf,
    hear: (method, take) => heard.set("ui/notifications/" + method, take),

    async start() {
      this.hear("host-context-changed", adopt);
      const found = await ask("ui/initialize", {
        appInfo: { name: "manent", version: "1" },
        appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
        protocolVersion: PROTOCOL,
      });
      adopt(found.hostContext || {});
      send({ method: "ui/notifications/initialized", params: {} });
      watchSize();
    },

    async call(name, given) {
      return documentOf(await ask("tools/call", { name, arguments: given }));
    },

    // Hand the host a question, in the name of whoever looks at the page.
    async message(text) {
      const block = { type: "text", text };
      try {
        await ask("ui/message", { role: "user", content: [block] });
      } catch (error) {
        // The specification shows one block, its library a list of them.
        if (error.code !== -32602) throw error;
        await ask("ui/message", { role: "user", content: block });
      }
    },
  };
})();

function state(text) {
  document.getElementById("state").textContent = text;
}

// Do something that the host answers, and say how it went.
async function during(button, doing, work) {
  if (button) button.disabled = true;
  state(doing);
  try {
    state((await work()) || "");
  } catch (error) {
    state("That failed: " + error.message);
  } finally {
    if (button) button.disabled = false;
  }
}

function button(label, does, about) {
  const made = make("button", { type: "button", click: () => does(made) }, label);
  if (about) made.setAttribute("aria-label", label + ": " + about);
  return made;
}

function command(text, about) {
  const code = make("code", {}, inert(text));
  const copy = button("Copy", async () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    try {
      await navigator.clipboard.writeText(code.textContent);
      state("Copied.");
    } catch {
      state(document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.");
    }
  }, "the command for " + about);
  return make("div", { class: "command" }, code, copy);
}

// A place for the text of a note, empty until somebody asks for it.
function reader(name, label) {
  const pre = make("pre", { tabindex: "0", role: "region", hidden: "", "aria-label": label });
  async function open(by) {
    await during(by, "Reading…", async () => {
      const note = await host.call("brain_read", { name });
      pre.textContent = words(note.body);
      pre.hidden = false;
      return "";
    });
  }
  return { pre, open };
}
