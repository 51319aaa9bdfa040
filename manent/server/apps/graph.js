// The notes around one note. A click opens a note; "Centre on it" walks there.

const WIDTH = 960;
const HEIGHT = 640;
const NAMED = 40; // with more notes than that, only those with most links show their name
const SVG = "http://www.w3.org/2000/svg";

let given = {};
let drawn = { nodes: [], edges: [], places: [] };
let chosen = 0;
const been = [];

function shape(tag, properties, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const short = (text) => (text.length > 24 ? text.slice(0, 23) + "…" : text);
const at = (place) => place.toFixed(1);
const nameOf = (node) => words(node.name) || words(node.path) || "(no name)";

// -- the answer, taken apart with care: a host may send anything ------------------------

function read(answer) {
  const nodes = listOf(answer.nodes).filter((node) => node && typeof node === "object");
  const seen = new Set();
  const edges = [];
  for (const edge of listOf(answer.edges)) {
    if (!edge || typeof edge !== "object") continue;
    const { from, to } = edge;
    const both = [from, to].every((n) => Number.isInteger(n) && n >= 0 && n < nodes.length);
    if (!both || from === to) continue;
    edges.push({ from, to, kind: words(edge.kind) });
    seen.add(Math.min(from, to) + " " + Math.max(from, to));
  }
  const pairs = [...seen].map((pair) => pair.split(" ").map(Number));
  const places = layout(nodes.length, pairs, WIDTH, HEIGHT);
  return { nodes, edges, places, name: answer.name, path: answer.path, left: Number(answer.left_out) || 0 };
}

function take(answer) {
  drawn = read(answer);
  chosen = 0;
  draw();
  choose(0, false);
  const left = drawn.left ? ", " + drawn.left + " further ones left out" : "";
  const links = drawn.edges.length === 1 ? "1 link" : drawn.edges.length + " links";
  return drawn.nodes.length + (drawn.nodes.length === 1 ? " note, " : " notes, ") + links + left;
}

// -- the picture -----------------------------------------------------------------------

const svg = shape("svg", {
  viewBox: "0 0 " + WIDTH + " " + HEIGHT, role: "group", "aria-label": "Notes and the links between them",
});
const aside = make("aside", { "aria-label": "The chosen note" });
const list = make("ul", {});
const all = make("details", {}, make("summary", {}, "All notes of the picture"), list);

function draw() {
  const degree = drawn.nodes.map(() => 0);
  for (const { from, to } of drawn.edges) {
    degree[from]++;
    degree[to]++;
  }
  const ranked = [...degree].sort((a, b) => b - a);
  const enough = drawn.nodes.length > NAMED ? Math.max(ranked[NAMED / 2], 1) : 0;
  svg.replaceChildren(
    ...drawn.edges.map(line),
    ...drawn.nodes.map((node, n) => dot(node, n, degree[n] >= enough || n === 0)),
  );
  list.replaceChildren(...drawn.nodes.map((node, n) =>
    make("li", {}, make("button", { type: "button", click: () => choose(n, true) }, said(nameOf(node))))));
}

function line(edge) {
  const [a, b] = [drawn.places[edge.from], drawn.places[edge.to]];
  const kind = /^(supersedes|contradicts|provenance)$/.test(edge.kind) ? " " + edge.kind : "";
  const made = shape("line", { class: "edge" + kind, x1: at(a.x), y1: at(a.y), x2: at(b.x), y2: at(b.y) });
  made.append(shape("title", {}, edge.kind));
  edge.line = made;
  return made;
}

function dot(node, n, named) {
  const { x, y } = drawn.places[n];
  const name = nameOf(node);
  const draft = node.status === "quarantine" ? " draft" : "";
  const made = shape("g", {
    class: "node" + (n === 0 ? " centre" : "") + draft + (named ? "" : " quiet"),
    role: "button", tabindex: n === 0 ? 0 : -1, "aria-label": name, "data-n": n,
  },
  shape("title", {}, name),
  shape("circle", { cx: at(x), cy: at(y), r: n === 0 ? 13 : 10 }),
  shape("text", { x: at(x), y: at(y + (n === 0 ? 31 : 27)) }, short(name)));
  made.addEventListener("click", () => choose(n, true));
  return made;
}

const dots = () => [...svg.querySelectorAll(".node")];

// One stop of the keyboard; arrows go to the nearest note that way.
svg.addEventListener("keydown", (event) => {
  const from = drawn.places[chosen];
  const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return choose(chosen, true);
  }
  if (event.key === "Home" || event.key === "End") {
    event.preventDefault();
    return choose(event.key === "Home" ? 0 : drawn.nodes.length - 1, false, true);
  }
  const way = ways[event.key];
  if (!way || !from) return;
  event.preventDefault();
  let best = -1;
  let least = Infinity;
  drawn.places.forEach((place, n) => {
    const [x, y] = [place.x - from.x, place.y - from.y];
    const along = x * way[0] + y * way[1];
    const across = Math.abs(x * way[1] + y * way[0]);
    if (n !== chosen && along > 0 && along + 2 * across < least) {
      [best, least] = [n, along + 2 * across];
    }
  });
  if (best >= 0) choose(best, false, true);
});

// -- one note --------------------------------------------------------------------------

function choose(n, open, focus) {
  chosen = n;
  dots().forEach((made, at) => {
    made.classList.toggle("chosen", at === n);
    made.setAttribute("tabindex", at === n ? 0 : -1);
    if (at === n && focus) made.focus();
  });
  for (const edge of drawn.edges) {
    edge.line.classList.toggle("near", edge.from === n || edge.to === n);
  }
  about(n, open);
}

function about(n, open) {
  const node = drawn.nodes[n];
  if (!node) return aside.replaceChildren(make("p", {}, "There is nothing to draw."));
  const name = nameOf(node);
  const path = String(node.path);
  const { pre, open: reading } = reader(path, "Text of " + name);
  const read = button("Open", reading, name);
  aside.replaceChildren(
    make("h2", {}, said(name)),
    make("p", { class: "facts" }, said(path), " · ", said(node.type || "no type"), " · ", said(node.status)),
    make("div", { class: "verbs" },
      read,
      button("Centre on it", (by) => centre(by, path), name),
      button("Ask about it", (by) => during(by, "", async () => {
        await host.message("Read the note " + words(path) + " and tell me what it says.");
        return "Asked.";
      }), name)),
    pre,
    links(n),
    all,
  );
  return open ? reading(read) : undefined;
}

function links(n) {
  const rows = [];
  for (const { from, to, kind } of drawn.edges) {
    if (from === n) rows.push(make("li", {}, kind + " → ", said(nameOf(drawn.nodes[to]))));
    if (to === n) rows.push(make("li", {}, kind + " ← ", said(nameOf(drawn.nodes[from]))));
  }
  const summary = make("summary", {}, rows.length === 1 ? "1 link" : rows.length + " links");
  return make("details", {}, summary, make("ul", {}, ...rows));
}

// -- walking ---------------------------------------------------------------------------

async function go(by, asked, remembered) {
  const left = given;
  await during(by, "Asking…", async () => {
    const told = take(await host.call("brain_graph", asked));
    if (remembered && left.name !== undefined) been.push(left);
    given = asked;
    return told;
  });
  back.disabled = !been.length;
}

const centre = (by, name) => go(by, { ...given, name }, true);

async function goBack(by) {
  const asked = been.pop();
  await go(by, asked, false);
  if (given !== asked) been.push(asked);
  back.disabled = !been.length;
}

const depth = make("select", { id: "depth", change: () => go(depth, { ...given, depth: Number(depth.value) }, false) },
  ...[1, 2, 3].map((n) => make("option", { value: n }, n === 1 ? "1 step" : n + " steps")));
const back = button("Back", goBack);
const refresh = button("Refresh", (by) => go(by, given, false));
back.disabled = true;

document.getElementById("tools").append(
  make("label", { for: "depth" }, "Around it", depth), back, refresh);
document.getElementById("content").append(make("div", { class: "graph" }, svg, aside));

host.hear("tool-input", (params) => {
  given = { ...(params.arguments || {}) };
  depth.value = String([1, 2, 3].includes(given.depth) ? given.depth : 1);
});
host.hear("tool-result", (params) => during(null, "", async () => take(host.documentOf(params))));
host.hear("tool-cancelled", () => state("The call was cancelled."));
during(null, "Waiting for the host.", async () => {
  await host.start();
  return "Waiting for the answer.";
});
