"use strict";
// Describes a slice, a bar of aggregated slices, and what the timeline draws of all.
tw.timelineText = (() => {
  const { format } = tw;

  function describe(model, found) {
    const { level, row } = found;
    if (found.kind === "bucket") return describeBucket(model, found);
    const dur = level.unfinished[found.at] ? "never ended" : format.time(level.dur[found.at]);
    return {
      title: model.names[level.name[found.at]] || "(no name)",
      facts: [
        ["duration", dur, `${format.whole(level.dur[found.at])} ns`],
        ["start", format.time(level.start[found.at]), `${format.whole(level.start[found.at])} ns`],
        ["category", model.categories[level.category[found.at]] || "none"],
        ["track", `${row.group.name} · ${row.track.details}`],
        ...listed(row.track.info, level.index[found.at]),
      ],
    };
  }

  // The row of a command in the workbook, counting the row of headings.
  function listed(info, index) {
    if (index < 0 || !info.list) return [];
    return [
      ["index", String(index)],
      ["in the workbook", `sheet ${info.list}, row ${index + 2}`],
    ];
  }

  function describeBucket(model, { level, row, at: place }) {
    const { shade } = level;
    return {
      title: `${format.whole(shade.n[place])} aggregated slices`,
      facts: [
        [
          "busy",
          `${format.value(shade.share[place] / 1000, { unit: "ratio" })} of ${format.time(model.bucket_ns)}`,
        ],
        ["from", format.time(shade.start[place]), `${format.whole(shade.start[place])} ns`],
        ["mostly", model.categories[shade.category[place]] || "no category"],
        ["track", `${row.group.name} · ${row.track.details}`],
      ],
    };
  }

  // What is drawn of all slices, and how clocks of ranks relate.
  function notes(model) {
    const hidden = model.n_slices - model.n_shown;
    const sentences = [
      hidden
        ? `${format.whole(model.n_shown)} of ${format.whole(model.n_slices)} slices are drawn individually: the longest of each track. The other ${format.whole(hidden)} are aggregated into bars per ${format.time(model.bucket_ns)}, as high as the share of time they cover.`
        : `All ${format.whole(model.n_slices)} slices are drawn.`,
    ];
    if (model.ranks) sentences.push(chosenRanks(model));
    return [...sentences, ...tw.timelineData.clocks(model)].join(" ");
  }

  // Which of many ranks are drawn, and why.
  function chosenRanks(model) {
    const chosen = Object.entries(model.ranks)
      .map(([reason, ranks]) => `${reason}: ${ranks.join(", ")}`)
      .join("; ");
    return `Of ${format.whole(model.n_ranks)} ranks, those with the shortest, middle and longest step times are drawn (${chosen}); export with --rank or --all-ranks for others.`;
  }

  // The command for a time range, in the times of the traces, without their shifts.
  function inFull(model, infos, from, to) {
    const runs = [...new Set(infos.map((info) => info.run_id))];
    const which =
      model.isCompared && runs.length > 1
        ? `--compare ${runs.join(" ")}`
        : runs.map((run) => `--run ${run}`).join(" ");
    const first = Math.min(...infos.map((info) => from - (info.shift_ns || 0)));
    const last = Math.max(...infos.map((info) => to - (info.shift_ns || 0)));
    return `tw export html ${which} --from ${Math.max(0, Math.floor(first))} --to ${Math.max(1, Math.ceil(last))}`;
  }

  return { describe, notes, inFull };
})();
