"use strict";
// Describes a slice, and a bar of aggregated slices.
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

  return { describe };
})();
