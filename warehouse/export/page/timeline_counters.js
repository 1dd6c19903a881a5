"use strict";
// Counters of the timeline: device busy, queues, memory and others, a row each above the tracks.
tw.timelineCounters = (() => {
  const { format } = tw;
  const { starts, shared } = tw.timelineData;
  const HEIGHT = 28;
  const FOLDED = 20;

  // Adds to each group of tracks the counters of its trace.
  function build(model) {
    for (const given of model.counters || []) {
      const ofTrace = model.groups.filter(({ tracks }) => tracks[0].info.trace_id === given.trace_id);
      const group = ofTrace.find(({ tracks }) => tracks[0].info.rank === given.rank) || ofTrace[0];
      if (!group) continue;
      const start = starts(given.start, shared(group.tracks[0].info));
      const greatest = given.unit === "ratio" ? 1 : Math.max(...given.value, 0);
      const most = Math.max(...given.value);
      (group.counters ||= []).push({ ...given, start, greatest, most });
    }
  }

  // The rows of a group's counters, as a layout has them.
  function rows(group, y) {
    if (!group.counters) return [];
    if (group.areCountersFolded) return [{ kind: "counters", group, y, height: FOLDED }];
    return group.counters.map((counter, place) => ({
      kind: "counters",
      group,
      counter,
      y: y + place * HEIGHT,
      height: HEIGHT,
    }));
  }

  // The place of the value that holds at a time; -1 before the first.
  function place(counter, time) {
    let [low, high] = [0, counter.start.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (counter.start[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  const shown = (counter, value) =>
    format.value(value, { unit: counter.unit || "", type: "DOUBLE" });

  function paint(painter, { counter, group, height }, y, left, row) {
    const { context, look, view, width } = painter;
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = look.ink;
    if (!counter) {
      context.fillText(`▸ ${format.whole(group.counters.length)} counters`, 12, y + height / 2);
      return;
    }
    context.fillText(painter.fit(`▾ ${counter.name}`, left - 20), 12, y + 3 + row / 2 - 2);
    context.fillStyle = look.quiet;
    context.font = "10px system-ui, sans-serif";
    context.fillText(`most ${shown(counter, counter.most)}`, 24, y + height - 6);
    context.fillStyle = look.line;
    context.fillRect(0, y + height - 1, width, 1);
    context.fillStyle = look.accent;
    context.globalAlpha = 0.6;
    const { start, value, greatest } = counter;
    for (
      let i = Math.max(0, place(counter, view.start));
      i < start.length && start[i] < view.end;
      i++
    ) {
      const from = Math.max(left, painter.x(start[i]));
      const to = i + 1 < start.length ? Math.min(width, painter.x(start[i + 1])) : width;
      const tall = greatest > 0 ? (Math.max(0, value[i]) / greatest) * (height - 4) : 0;
      if (to > from && tall > 0) context.fillRect(from, y + height - 1 - tall, to - from, tall);
    }
    context.globalAlpha = 1;
  }

  function describe({ counter, group }, time) {
    const at = counter ? place(counter, time) : -1;
    if (at < 0) return null;
    return {
      title: counter.name,
      facts: [
        ["value", shown(counter, counter.value[at])],
        ["from", format.time(counter.start[at])],
        ["most", shown(counter, counter.most)],
        ["of", group.name],
      ],
    };
  }

  return { build, rows, paint, describe };
})();
