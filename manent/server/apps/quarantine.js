// What waits for a person. The page decides nothing: each row carries the command that would.

function age(row) {
  if (!row.since) return "nobody knows since when";
  const days = Number(row.age_days) || 0;
  return "waits " + (days === 1 ? "1 day" : days + " days") + ", since " + words(row.since);
}

function audience(row) {
  const labels = listOf(row.audience).map(words);
  return labels.length ? "would be read by " + labels.join(", ") : "private";
}

listing({
  tool: "brain_quarantine",
  key: "queue",
  noun: ["draft waits", "drafts wait"],
  fits: (row) => [row.name, row.path, row.author, row.description].map(words).join(" "),
  row(row) {
    const name = words(row.name);
    const { pre, open } = reader(String(row.path), "Text of " + name);
    const verbs = make("div", { class: "verbs" },
      button("Read", open, name),
      button("Ask about it", (by) => during(by, "", async () => {
        await host.message("Look at the draft " + words(row.path) + " in quarantine and tell me whether it should be promoted.");
        return "Asked.";
      }), name));
    return make("li", {},
      make("h2", {}, said(row.name)),
      make("p", { class: "facts" }, said(row.path), " · by ", said(row.author || "nobody named"),
        " · " + age(row) + " · " + audience(row)),
      make("p", {}, said(row.description)),
      row.command ? command(row.command, "promoting " + name) : null,
      row.reject ? command(row.reject, "rejecting " + name) : null,
      verbs, pre);
  },
});
