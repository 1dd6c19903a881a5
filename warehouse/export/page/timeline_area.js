"use strict";
// Totals of an area of the timeline: a time range on some tracks.
tw.timelineArea = (() => {
  const { element, format } = tw;
  const { firstAfter, firstBucket } = tw.timelineData;
  const SHOWN = 12; // rows of each table

  // The tracks whose rows lie between two heights of a layout.
  function tracksBetween(layout, top, bottom) {
    return layout.rows.filter(
      (row) => row.kind === "track" && row.y < bottom && row.y + row.height > top,
    );
  }

  // The area between two points of the canvas.
  function between(painter, layout, a, b) {
    const sorted = (...values) => values.sort((low, high) => low - high);
    const [left, right] = sorted(a.x, b.x).map((x) => Math.max(painter.left, x));
    const [top, bottom] = sorted(a.y, b.y).map((y) => y - painter.top + painter.view.scroll);
    const from = painter.time(left);
    const to = Math.max(from + 1, painter.time(right));
    return { from, to, rows: tracksBetween(layout, top, bottom) };
  }

  // The time of a slice, or what is in view, on the rows.
  function around(model, kept, view, rows) {
    const [first, last] = model.extent;
    if (!kept) {
      const from = Math.max(first, view.start);
      return { from, to: Math.max(from + 1, Math.min(last, view.end)), rows };
    }
    const from = kept.level.start[kept.at];
    return { from, to: from + Math.max(1, kept.level.dur[kept.at]), rows };
  }

  // What is inside of an area, by name, category and track. A slice counts for its part inside;
  // tracks are busy while a slice of their first level runs.
  function totals(model, { from, to, rows }) {
    const found = { names: new Map(), categories: new Map(), tracks: new Map(), n: 0, hidden: 0 };
    const add = (map, key, n, ns) => {
      const sum = map.get(key) || { n: 0, ns: 0 };
      sum.n += n;
      sum.ns += ns;
      map.set(key, sum);
    };
    const inside = (start, end) => Math.max(0, Math.min(end, to) - Math.max(start, from));
    for (const { track, group } of rows) {
      track.levels.forEach((level, depth) => {
        for (
          let i = firstAfter(level, from - 1);
          i < level.start.length && level.start[i] < to;
          i++
        ) {
          const end = level.start[i] + Math.max(0, level.dur[i]);
          if (end <= from && level.start[i] < from) continue;
          const ns = inside(level.start[i], end);
          found.n++;
          add(found.names, model.names[level.name[i]] || "(no name)", 1, ns);
          add(found.categories, model.categories[level.category[i]] || "none", 1, ns);
          add(found.tracks, `${group.name} · ${track.details}`, 1, depth ? 0 : ns);
        }
        const { shade } = level;
        const width = model.bucket_ns;
        for (
          let i = firstBucket(shade, from, width);
          i < shade.start.length && shade.start[i] < to;
          i++
        ) {
          const ns = (shade.share[i] / 1000) * inside(shade.start[i], shade.start[i] + width);
          found.hidden += shade.n[i];
          add(found.names, "(aggregated)", shade.n[i], ns);
          add(found.categories, model.categories[shade.category[i]] || "none", shade.n[i], ns);
          add(found.tracks, `${group.name} · ${track.details}`, shade.n[i], depth ? 0 : ns);
        }
      });
    }
    return found;
  }

  function table(title, heading, sums, span) {
    const rows = [...sums].sort(([a, x], [b, y]) => y.ns - x.ns || y.n - x.n || (a < b ? -1 : 1));
    const cell = (text, name = "td") => element(name, { text });
    const made = element(
      "table",
      { class: "totals" },
      element("caption", { text: title }),
      element("tr", {}, ...[heading, "slices", "time", "of the area"].map((h) => cell(h, "th"))),
      ...rows.slice(0, SHOWN).map(([name, { n, ns }]) =>
        element(
          "tr",
          {},
          element("td", { text: name, title: name }),
          cell(format.whole(n)),
          cell(format.time(ns)),
          cell(format.value(ns / span, { unit: "ratio" })),
        ),
      ),
    );
    if (rows.length <= SHOWN) return made;
    const more = element("p", {
      class: "quiet",
      text: `${format.whole(rows.length - SHOWN)} more rows are not shown.`,
    });
    return element("div", {}, made, more);
  }

  // The panel of an area; `command` exports its time in full.
  function list(model, area, command) {
    const found = totals(model, area);
    const span = area.to - area.from;
    const n = area.rows.length;
    const notes = [
      `From ${format.time(area.from)} to ${format.time(area.to)}, ${format.whole(n)} ${n === 1 ? "track" : "tracks"}. Slices count with the part of their time in the area, nested ones each; a track, with the time of its outermost slices.`,
    ];
    if (found.hidden)
      notes.push(
        ` Of ${format.whole(found.hidden)} aggregated slices only tracks, times and main categories are known; to show all: `,
        element("code", { text: command }),
      );
    return [
      element("h3", { text: `Area of ${format.time(span)}` }),
      element("p", { class: "quiet" }, ...notes),
      element(
        "div",
        { class: "areas" },
        table("By name", "name", found.names, span),
        table("By category", "category", found.categories, span),
        table("By track", "track", found.tracks, span),
      ),
    ];
  }

  // A tint over the rows of the area, and its ends.
  function paint(painter, area) {
    const { context, look, width, view, left } = painter;
    const from = Math.max(left, painter.x(area.from));
    const to = Math.min(width, painter.x(area.to));
    if (to < from) return;
    const above = painter.top - view.scroll;
    const [first, last] = [area.rows[0], area.rows.at(-1)];
    if (!first) return;
    const [top, bottom] = [first.y + above, last.y + last.height + above];
    context.fillStyle = look.accent;
    context.globalAlpha = 0.14;
    context.fillRect(from, top, to - from, bottom - top);
    context.globalAlpha = 1;
    for (const x of [from, to]) context.fillRect(Math.round(x), top, 1, bottom - top);
  }

  return { tracksBetween, between, around, totals, list, paint };
})();
