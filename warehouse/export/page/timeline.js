"use strict";
// The interactive timeline: pointer, keys, search, selection, notes on the view.
tw.timeline = (() => {
  const { element, format } = tw;
  const { build, fold, firstBucket, firstAfter } = tw.timelineData;
  const { Painter, layout, categoryColor, PATH, GUTTER, RULER, ROW } = tw.timelinePaint;
  const { describe, notes, inFull } = tw.timelineText;
  const at = (id) => document.getElementById(id);
  const NAME_LIST = 14;

  let model, painter, view;
  const state = { layout: null, matches: null, kept: null, area: null, found: [], foundAt: -1 };
  const pointer = { x: null, down: null };
  let waiting = false;

  function start(values, isCompared) {
    if (!values.tracks) {
      at("timeline-section").remove();
      return;
    }
    if (!values.tracks.length) {
      at("timeline-section").replaceChildren(
        element("h2", { text: "Timeline" }),
        element("p", { text: "No slices in scope." }),
      );
      return;
    }
    model = { ...build(values), isCompared };
    tw.timelineLinks.build(model);
    tw.timelineArguments.build(model);
    tw.timelineCounters.build(model);
    state.layout = layout(model);
    painter = new Painter(at("timeline-canvas"), model);
    view = { start: 0, end: 1, scroll: 0 };
    // Not taller than its tracks.
    at("timeline").style.height = `min(62vh, 640px, ${state.layout.height + RULER + 12}px)`;
    whole();
    at("timeline-notes").textContent = notes(model);
    legend();
    listen();
    paintNow();
  }

  // Paints at most once per frame.
  function paint() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paintNow();
    });
  }

  function paintNow() {
    if (!model) return;
    painter.paint(view, state);
    inView();
  }

  function whole() {
    const [first, last] = model.window;
    const margin = (last - first) * 0.01;
    show(first - margin, last + margin);
  }

  // Shows a time range: at least 10 ns, and little beyond the ends of the timeline.
  function show(from, to) {
    const [first, last] = model.extent;
    const most = (last - first) * 1.1;
    const width = Math.min(most, Math.max(10, to - from));
    const middle = Math.min(last, Math.max(first, (from + to) / 2));
    view.start = middle - width / 2;
    view.end = middle + width / 2;
    paint();
  }

  function zoom(factor, x) {
    const anchor = painter.time(
      x ?? (pointer.x > GUTTER ? pointer.x : GUTTER + (painter.width - GUTTER) / 2),
    );
    const [first, last] = model.extent;
    const most = (last - first) * 1.1;
    const width = Math.min(most, Math.max(10, (view.end - view.start) * factor));
    const share = (anchor - view.start) / (view.end - view.start);
    show(anchor - share * width, anchor + (1 - share) * width);
  }

  function pan(share) {
    const by = share * (view.end - view.start);
    show(view.start + by, view.end + by);
  }

  function scroll(by) {
    const most = Math.max(0, state.layout.height - (painter.height - RULER));
    view.scroll = Math.min(most, Math.max(0, view.scroll + by));
    paint();
  }

  // ---- notes --------------------------------------------------------------------------------

  function legend() {
    const used = new Set(model.categories.filter(Boolean));
    const dark = document.documentElement.classList.contains("dark");
    const hasPath = model.groups.some((group) => group.tracks.some((track) => track.path));
    at("legend").replaceChildren(
      ...(hasPath ? [legendEntry(PATH, "critical path")] : []),
      ...[...used].slice(0, NAME_LIST).map((category) =>
        legendEntry(categoryColor(category, dark), category),
      ),
    );
  }

  function legendEntry(color, text) {
    const dot = element("i");
    dot.style.background = color;
    return element("span", {}, dot, text);
  }

  function eachVisibleLevel(visit) {
    for (const row of state.layout.rows) {
      if (row.kind === "track") for (const level of row.track.levels) visit(level, row);
    }
  }

  // The number of aggregated slices in view, and the command that exports the view in full.
  function inView() {
    let hidden = 0;
    let isCut = false; // a bucket is partly in view: the number of its slices in view is unknown
    eachVisibleLevel((level) => {
      const { shade } = level;
      for (
        let i = firstBucket(shade, view.start, model.bucket_ns);
        i < shade.start.length && shade.start[i] < view.end;
        i++
      ) {
        hidden += shade.n[i];
        isCut ||= shade.start[i] < view.start || shade.start[i] + model.bucket_ns > view.end;
      }
    });
    const place = at("in-view");
    if (!hidden) {
      place.textContent = "All slices in view are drawn.";
      return;
    }
    const command = inFull(
      model,
      model.groups.flatMap((group) => group.tracks.map((track) => track.info)),
      view.start,
      view.end,
    );
    place.replaceChildren(
      `${isCut ? "up to " : ""}${format.whole(hidden)} slices in view are aggregated; to show all: `,
      element("code", { text: command }),
    );
  }

  function tip(found, x, y) {
    const place = at("tip");
    const counter = found.kind === "counter" && tw.timelineCounters.describe(found.row, found.time);
    place.hidden = !counter && !["slice", "bucket", "label"].includes(found.kind);
    if (place.hidden) return;
    if (found.kind === "label") {
      place.replaceChildren(
        found.row.kind === "group"
          ? `${found.row.group.name} · ${found.row.group.trace}`
          : found.row.track?.details || found.row.counter?.name || "Counters",
      );
    } else {
      const { title, facts } = counter || describe(model, found);
      const lines = facts.map(([key, text]) => element("div", { text: `${key}: ${text}` }));
      place.replaceChildren(element("b", { text: title }), ...lines);
    }
    const room = at("timeline").clientWidth - place.offsetWidth - 8;
    const below =
      y + 16 + place.offsetHeight < painter.height
        ? y + 16
        : Math.max(0, y - place.offsetHeight - 10);
    place.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
    place.style.top = `${below}px`;
  }

  // Selects a slice: outlines it and shows its details below.
  function keep(found) {
    state.kept = found && found.kind === "slice" ? found : null;
    state.area = null;
    state.relations = state.kept ? tw.timelineLinks.of(model, placed(found)) : [];
    const place = at("kept");
    if (!found || (found.kind !== "slice" && found.kind !== "bucket")) place.replaceChildren();
    else {
      const { title, facts } = describe(model, found);
      const rows = [
        ...facts.map(([key, text, exact]) => [key, exact ? `${text} (${exact})` : text]),
        ...more(found),
      ];
      const list = element(
        "dl",
        {},
        ...rows.flatMap(([key, text]) => [element("dt", { text: key }), element("dd", { text })]),
        ...tw.timelineLinks.list(model, state.relations, follow),
      );
      place.replaceChildren(element("h3", { text: title }), list, ...argumentsOf(found));
    }
    paint();
  }

  const argumentsOf = (found) =>
    found.kind === "slice" ? tw.timelineArguments.list(model, placed(found), idOf(found)) : [];
  const idOf = ({ row, level, at: place }) =>
    row.track.info.trace_id * 2 ** 32 + level.id[place];

  // Selects a time range on some tracks and shows its totals below.
  function mark(area) {
    keep(null);
    state.area = area;
    if (!area) return;
    const infos = area.rows.map((row) => row.track.info);
    const command = infos.length ? inFull(model, infos, area.from, area.to) : "";
    at("kept").replaceChildren(...tw.timelineArea.list(model, area, command));
  }

  const openTracks = () => tw.timelineArea.tracksBetween(state.layout, -Infinity, Infinity);
  const around = (kept) => tw.timelineArea.around(model, kept, view, openTracks());

  const markSelected = () => mark(around(state.kept));

  // Moves the end of the area; begins with the part in view.
  function extend(share) {
    const area = state.area || around(null);
    const to = area.to + share * (view.end - view.start);
    mark({ ...area, to: Math.max(area.from + 1, to) });
  }

  const placed = ({ row, ...found }) => ({ ...found, group: row.group, track: row.track });

  // Shows a related slice; one that is not drawn has a place only.
  function follow(place) {
    reveal(place);
    if (place.kind === "slice") {
      go(inRow(place));
      return;
    }
    const middle = place.start + place.dur / 2;
    const half = Math.max(place.dur * 5, (view.end - view.start) / 2);
    show(middle - half, middle + half);
  }

  const inRow = (found) => ({
    ...found,
    row: state.layout.rows.find((row) => row.track === found.track),
  });

  // Expands the group and the track of a slice.
  function reveal(found) {
    found.group.open = true;
    if (found.depth >= tw.timelineData.shownLevels(found.track)) found.track.fold = "all";
    state.layout = layout(model);
  }

  function more(found) {
    const { info } = found.row.track;
    if (found.kind !== "slice") {
      const from = found.level.shade.start[found.at];
      return [
        ["show all", `${inFull(model, [info], from, from + model.bucket_ns)} --trace ${info.trace_id}`],
      ];
    }
    const id = idOf(found);
    return [
      ["by duration", tw.timelineLinks.rank(model, placed(found))],
      ["slice_id", String(id)],
      ["children", `tw query slice_children -p slice_id=${id} --trace ${info.trace_id}`],
    ];
  }

  // ---- moving from slice to slice -------------------------------------------------------------

  function go(found) {
    const { level, row } = found;
    const [from, to] = [level.start[found.at], level.start[found.at] + level.dur[found.at]];
    if (to < view.start || from > view.end || to - from > view.end - view.start) {
      const width = Math.max(view.end - view.start, (to - from) * 1.5);
      show((from + to - width) / 2, (from + to + width) / 2);
    }
    const y = row.y + found.depth * ROW;
    if (y < view.scroll || y + ROW > view.scroll + painter.height - RULER)
      scroll(y - view.scroll - painter.height / 3);
    keep(found);
  }

  function neighbour(step) {
    const { kept } = state;
    if (!kept) {
      go(firstInView());
      return;
    }
    const next = kept.at + step;
    if (next >= 0 && next < kept.level.start.length) go({ ...kept, at: next });
  }

  function firstInView() {
    let found = null;
    for (const row of state.layout.rows) {
      if (found || row.kind !== "track") continue;
      row.track.levels.forEach((level, depth) => {
        const place = firstAfter(level, view.start);
        if (!found && place < level.start.length && level.start[place] < view.end)
          found = { kind: "slice", row, level, depth, at: place };
      });
    }
    return found || state.kept;
  }

  function fit() {
    if (!state.kept) return;
    const { level, at: place } = state.kept;
    const width = Math.max(level.dur[place], 10);
    show(level.start[place] - width * 0.15, level.start[place] + width * 1.15);
  }

  // ---- search -----------------------------------------------------------------------------------

  // Marks the slices whose name contains the text; returns the number of drawn matches.
  function search(text) {
    if (!model) return 0;
    state.matches = text
      ? new Set(
          model.names.flatMap((name, place) => (name.toLowerCase().includes(text) ? [place] : [])),
        )
      : null;
    state.found = [];
    state.foundAt = -1;
    for (const group of state.matches ? model.groups : [])
      group.tracks.forEach((track) => foundOn(group, track));
    state.found.sort((a, b) => a.level.start[a.at] - b.level.start[b.at]);
    for (const id of ["previous-match", "next-match"]) at(id).hidden = !state.found.length;
    paint();
    return state.found.length;
  }

  function foundOn(group, track) {
    track.levels.forEach((level, depth) =>
      level.name.forEach((name, place) => {
        if (state.matches.has(name))
          state.found.push({ kind: "slice", group, track, level, depth, at: place });
      }),
    );
  }

  function match(step) {
    if (!state.found.length) return;
    state.foundAt = (state.foundAt + step + state.found.length) % state.found.length;
    const found = state.found[state.foundAt];
    reveal(found);
    go(inRow(found));
  }

  // ---- pointer and keys ---------------------------------------------------------------------------

  function place(event) {
    const box = painter.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  function wheel(event) {
    event.preventDefault();
    const [x] = place(event);
    if (event.shiftKey) scroll(event.deltaY || event.deltaX);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / 1000);
    else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400))), x);
  }

  function down(event) {
    const [x, y] = place(event);
    painter.canvas.setPointerCapture(event.pointerId);
    const pans = event.shiftKey || event.pointerType === "touch" || x < GUTTER || y < RULER;
    pointer.down = { x, y, pans, start: view.start, end: view.end, scroll: view.scroll };
    if (y < 14) toMap(x);
  }

  function toMap(x) {
    const [first, last] = model.extent;
    const middle = first + ((x - GUTTER) / (painter.width - GUTTER)) * (last - first);
    const half = (view.end - view.start) / 2;
    show(middle - half, middle + half);
  }

  function move(event) {
    const [x, y] = place(event);
    pointer.x = x;
    const began = pointer.down;
    if (!began) {
      tip(painter.under(x, y), x, y);
      return;
    }
    began.moved ||= Math.abs(x - began.x) + Math.abs(y - began.y) > 4;
    if (!began.moved) return;
    at("tip").hidden = true;
    if (began.y < 14) {
      toMap(x);
      return;
    }
    if (!began.pans) {
      state.area = tw.timelineArea.between(painter, state.layout, began, { x, y });
      paint();
      return;
    }
    const by = ((began.x - x) / (painter.width - GUTTER)) * (began.end - began.start);
    show(began.start + by, began.end + by);
    scroll(began.scroll + began.y - y - view.scroll);
  }

  function up(event) {
    const began = pointer.down;
    pointer.down = null;
    if (began?.moved && !began.pans) mark(state.area);
    if (!began || began.moved) return;
    const [x, y] = place(event);
    const found = painter.under(x, y);
    if (found.kind === "label") toggle(found.row);
    else keep(found);
  }

  function toggle(row) {
    if (row.kind === "group") row.group.open = !row.group.open;
    else if (row.kind === "counters") row.group.areCountersFolded = !row.group.areCountersFolded;
    else fold(row.track);
    state.layout = layout(model);
    scroll(0);
  }

  const KEYS = {
    w: () => zoom(0.6),
    s: () => zoom(1 / 0.6),
    "+": () => zoom(0.6),
    "=": () => zoom(0.6),
    "-": () => zoom(1 / 0.6),
    a: () => pan(-0.2),
    d: () => pan(0.2),
    arrowleft: () => pan(-0.2),
    arrowright: () => pan(0.2),
    arrowup: () => scroll(-60),
    arrowdown: () => scroll(60),
    pageup: () => scroll(-300),
    pagedown: () => scroll(300),
    0: whole,
    home: whole,
    f: fit,
    ",": () => neighbour(-1),
    ".": () => neighbour(1),
    n: () => match(1),
    p: () => match(-1),
    m: markSelected,
    l: () => at("kept").querySelector("button")?.focus(),
    enter: () => state.kept && toggle(state.kept.row),
    escape: () => keep(null),
  };

  const SHIFTED = { arrowleft: () => extend(-0.05), arrowright: () => extend(0.05) };

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.key.toLowerCase();
    const act = (event.shiftKey && SHIFTED[name]) || KEYS[name];
    if (!act) return;
    event.preventDefault();
    at("tip").hidden = true;
    act();
  }

  function listen() {
    const { canvas } = painter;
    canvas.addEventListener("wheel", wheel, { passive: false });
    canvas.addEventListener("pointerdown", down);
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointerleave", () => {
      at("tip").hidden = true;
      pointer.x = null;
    });
    canvas.addEventListener("keydown", key);
    at("zoom-in").addEventListener("click", () => zoom(0.5));
    at("zoom-out").addEventListener("click", () => zoom(2));
    at("whole").addEventListener("click", whole);
    at("next-match").addEventListener("click", () => match(1));
    at("previous-match").addEventListener("click", () => match(-1));
    new ResizeObserver(paint).observe(canvas);
  }

  function repaint() {
    if (!model) return;
    legend();
    paintNow();
  }

  return { start, search, repaint, match, view: () => ({ ...view }), kept: () => state.kept, relations: () => state.relations,
    area: () => state.area && { ...state.area, ...tw.timelineArea.totals(model, state.area) },
    argumentsOf: (kept) => tw.timelineArguments.of(model, placed(kept)),
  };
})();
