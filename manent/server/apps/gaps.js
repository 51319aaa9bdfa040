// What was asked in vain. The page closes nothing: each row carries the command that would.

const times = (count) => (Number(count) === 1 ? "once" : (Number(count) || 0) + " times");

listing({
  tool: "brain_gaps",
  key: "gaps",
  noun: ["open gap", "open gaps"],
  fits: (row) => [row.query, ...listOf(row.askers), ...listOf(row.best)].map(words).join(" "),
  row(row) {
    const query = words(row.query);
    const found = make("ul", { hidden: "" });
    const verbs = make("div", { class: "verbs" },
      button("Search again", (by) => during(by, "Searching…", async () => {
        const answer = await host.call("brain_search", { query: unfenced(row.query) });
        const hits = listOf(answer.hits);
        found.replaceChildren(...hits.map((hit) =>
          make("li", {}, said(hit.name), " · ", said(hit.description))));
        found.hidden = false;
        return hits.length + (hits.length === 1 ? " note found." : " notes found.");
      }), query),
      button("Ask about it", (by) => during(by, "", async () => {
        await host.message("The notes did not answer this question: " + query + "\nWhat should a note that answers it say?");
        return "Asked.";
      }), query));
    const best = listOf(row.best).map(words).join(", ");
    return make("li", {},
      make("h2", {}, said(row.query)),
      make("p", { class: "facts" }, "asked " + times(row.asked) + ", answered " + times(row.read)
        + " · last " + words(row.last).slice(0, 10) + " · by ", said(listOf(row.askers).join(", "))),
      ...listOf(row.feedback).filter(Boolean).map((one) => make("p", { class: "facts" },
        said(one.asker), one.helpful ? " was helped: " : " was not helped: ", said(one.said))),
      best ? make("p", { class: "facts" }, "nearest: ", said(best)) : null,
      row.command ? command(row.command, "closing " + query) : null,
      verbs, found);
  },
});
