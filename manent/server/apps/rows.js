// A page that is a list: filtered, a hundred at a time, the rest asked for when wanted.

const AT_ONCE = 100;

function listing({ tool, key, noun, row, fits }) {
  const rows = [];
  let given = {};
  let cursor = "";
  let shown = AT_ONCE;

  const list = make("ol", { class: "rows", "aria-label": noun[1] });
  const filter = make("input", { type: "search", id: "filter", autocomplete: "off", input: () => {
    shown = AT_ONCE;
    draw();
  } });
  const more = button("Show more", (by) => {
    shown += AT_ONCE;
    if (shown <= chosen().length || !cursor) return draw();
    return during(by, "Asking for more…", async () => {
      take(await host.call(tool, { ...given, cursor }), true);
      return told();
    });
  });
  const refresh = button("Refresh", (by) => during(by, "Asking again…", async () => {
    take(await host.call(tool, given), false);
    return told();
  }));

  document.getElementById("tools").append(
    make("label", { for: "filter" }, "Filter", filter), refresh,
  );
  document.getElementById("content").append(list, more);

  function chosen() {
    const wanted = filter.value.trim().toLocaleLowerCase();
    return wanted ? rows.filter((one) => fits(one).toLocaleLowerCase().includes(wanted)) : rows;
  }

  function told() {
    const count = rows.length + (cursor ? "+" : "");
    return count + " " + (rows.length === 1 && !cursor ? noun[0] : noun[1]);
  }

  function take(answer, further) {
    if (!further) {
      rows.length = 0;
      shown = AT_ONCE;
    }
    for (const one of listOf(answer[key])) if (one && typeof one === "object") rows.push(one);
    cursor = typeof answer.cursor === "string" ? answer.cursor : "";
    draw();
  }

  function draw() {
    const found = chosen();
    const kept = found.slice(0, shown);
    list.replaceChildren(...kept.map((one) => row(one)));
    more.hidden = found.length <= shown && !cursor;
    if (!rows.length) list.append(make("li", {}, "There is none."));
    else if (!found.length) list.append(make("li", {}, "None fits the filter."));
  }

  more.hidden = true;
  host.hear("tool-input", (params) => {
    const { cursor: _, ...kept } = params.arguments || {};
    given = kept;
  });
  host.hear("tool-result", (params) => during(null, "", async () => {
    take(host.documentOf(params), false);
    return told();
  }));
  host.hear("tool-cancelled", () => state("The call was cancelled."));
  during(null, "Waiting for the host.", async () => {
    await host.start();
    return rows.length ? told() : "Waiting for the answer.";
  });
}
