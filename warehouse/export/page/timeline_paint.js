"use strict";
// Paints the timeline on a canvas: only visible levels, at most one mark per pixel and level.
tw.timelinePaint = (() => {
  const { format } = tw;
  const { shownLevels, firstAfter, firstBucket } = tw.timelineData;
  const GUTTER = 210;
  const RULER = 40;
  const MAP = 14; // the overview strip above the ruler
  const ROW = 17;
  const GROUP = 22;
  const GAP = 5;
  const ARROWS = 40; // of each relation
  const PATH = "#d1495b"; // the critical path
  const HUES = {
    kernel: 150,
    gpu_memcpy: 35,
    gpu_memset: 55,
    cpu_op: 215,
    cuda_runtime: 262,
    cuda_driver: 285,
    user_annotation: 340,
    gpu_user_annotation: 315,
    python_function: 188,
    cuda_sync: 10,
    "": 235,
  };
  const FREE_HUES = [85, 120, 20, 300, 240, 170, 65, 205, 0, 105];
  const others = []; // categories without a fixed hue, in order of appearance

  function hash(text) {
    let sum = 0;
    for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
    return sum >>> 0;
  }

  function hue(category) {
    if (Object.hasOwn(HUES, category)) return HUES[category];
    if (!others.includes(category)) others.push(category);
    return FREE_HUES[others.indexOf(category) % FREE_HUES.length];
  }

  function categoryColor(category, dark) {
    return `hsl(${hue(category)} 55% ${dark ? 45 : 62}%)`;
  }

  // The category determines the hue, the name its shade.
  function sliceColor(model, name, category, dark) {
    const key = `${name}/${category}/${dark}`;
    model.colors ||= new Map();
    if (!model.colors.has(key)) {
      const sum = hash(model.names[name] || "");
      const light = (dark ? 30 : 66) + ((sum >> 8) % 14);
      model.colors.set(
        key,
        `hsl(${hue(model.categories[category] || "") + (sum % 31) - 15} 52% ${light}%)`,
      );
    }
    return model.colors.get(key);
  }

  // Positions of all rows, from the top; computed again after a row is collapsed or expanded.
  function layout(model) {
    const rows = [];
    let y = 0;
    for (const group of model.groups) {
      rows.push({ kind: "group", group, y, height: GROUP });
      y += GROUP;
      for (const row of group.open ? tw.timelineCounters.rows(group, y) : []) {
        rows.push(row);
        y += row.height;
      }
      for (const track of group.open ? group.tracks : []) {
        const height = shownLevels(track) * ROW + GAP;
        rows.push({ kind: "track", group, track, y, height });
        y += height;
      }
    }
    return { rows, height: y };
  }

  class Painter {
    constructor(canvas, model) {
      this.canvas = canvas;
      this.model = model;
      this.context = canvas.getContext("2d");
      [this.left, this.top] = [GUTTER, RULER];
    }

    // Resizes the canvas to its container; false if the container has no size.
    measure() {
      const box = this.canvas.getBoundingClientRect();
      const ratio = window.devicePixelRatio || 1;
      this.width = box.width;
      this.height = box.height;
      const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
      if (this.canvas.width !== width || this.canvas.height !== height)
        Object.assign(this.canvas, { width, height });
      this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
      return width > 0 && height > 0;
    }

    x(time) {
      return (
        GUTTER +
        ((time - this.view.start) / (this.view.end - this.view.start)) * (this.width - GUTTER)
      );
    }
    time(x) {
      return (
        this.view.start + ((x - GUTTER) / (this.width - GUTTER)) * (this.view.end - this.view.start)
      );
    }

    paint(view, state) {
      if (!this.measure()) return;
      this.view = view;
      this.state = state;
      this.dark = document.documentElement.classList.contains("dark");
      this.look = {
        ink: tw.color("--ink"),
        quiet: tw.color("--quiet"),
        line: tw.color("--line"),
        paper: tw.color("--paper"),
        raised: tw.color("--raised"),
        accent: tw.color("--accent"),
      };
      const context = this.context;
      context.fillStyle = this.look.paper;
      context.fillRect(0, 0, this.width, this.height);
      context.textBaseline = "middle";
      this.step = this.tickStep();
      this.grid();
      this.rows();
      this.ruler();
      this.map();
    }

    tickStep() {
      const minimum = ((this.view.end - this.view.start) * 110) / Math.max(110, this.width - GUTTER);
      const power = 10 ** Math.floor(Math.log10(minimum));
      return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= minimum);
    }

    *ticks() {
      const first = Math.ceil(this.view.start / this.step);
      const last = Math.floor(this.view.end / this.step);
      for (let n = first; n <= last; n++) yield n * this.step;
    }

    grid() {
      this.context.fillStyle = this.look.line;
      for (const tick of this.ticks())
        this.context.fillRect(Math.round(this.x(tick)), RULER, 1, this.height);
    }

    ruler() {
      const context = this.context;
      context.fillStyle = this.look.raised;
      context.fillRect(0, 0, this.width, RULER);
      context.fillStyle = this.look.line;
      context.fillRect(0, RULER - 1, this.width, 1);
      context.font = "11px system-ui, sans-serif";
      for (const tick of this.ticks()) {
        const x = Math.round(this.x(tick));
        context.fillStyle = this.look.line;
        context.fillRect(x, MAP + 2, 1, RULER - MAP - 2);
        context.fillStyle = this.look.quiet;
        context.fillText(format.tick(tick, this.step), x + 4, MAP + (RULER - MAP) / 2);
      }
      context.fillStyle = this.look.raised;
      context.fillRect(0, MAP, GUTTER, RULER - MAP - 1);
      context.fillStyle = this.look.ink;
      context.fillText(
        `${format.time(this.view.end - this.view.start)} in view`,
        8,
        MAP + (RULER - MAP) / 2,
      );
    }

    // The overview strip: the whole extent, and the part in view.
    map() {
      const [first, last] = this.model.extent;
      const width = this.width - GUTTER;
      const at = (time) => GUTTER + ((time - first) / (last - first)) * width;
      const context = this.context;
      context.fillStyle = this.look.line;
      context.fillRect(GUTTER, 4, width, MAP - 6);
      context.fillStyle = this.look.accent;
      const left = Math.max(GUTTER, at(this.view.start));
      const right = Math.min(this.width, at(this.view.end));
      context.fillRect(left, 3, Math.max(3, right - left), MAP - 4);
    }

    rows() {
      const context = this.context;
      context.save();
      context.beginPath();
      context.rect(0, RULER, this.width, this.height - RULER);
      context.clip();
      for (const row of this.state.layout.rows) {
        const y = RULER + row.y - this.view.scroll;
        if (y + row.height < RULER || y > this.height) continue;
        if (row.kind === "group") this.group(row, y);
        else if (row.kind === "counters") tw.timelineCounters.paint(this, row, y, GUTTER, ROW);
        else this.track(row, y);
      }
      if (this.state.area) tw.timelineArea.paint(this, this.state.area);
      this.arrows();
      context.restore();
    }

    // From and to the slices that are related to the selected one, where their rows are open.
    arrows() {
      const { kept, relations } = this.state;
      if (!kept) return;
      const { startOf, endOf } = tw.timelineLinks;
      const here = this.anchor({ ...kept, track: kept.row.track });
      for (const [name, places] of relations) {
        if (name === "within") continue;
        for (const place of places.slice(0, ARROWS)) {
          const there = this.anchor(place);
          if (!here || !there) continue;
          const isAfter = startOf(place) >= startOf(kept);
          const [from, to] = isAfter ? [kept, place] : [place, kept];
          const [fromY, toY] = isAfter ? [here, there] : [there, here];
          this.arrow(this.x(Math.min(endOf(from), startOf(to))), fromY, this.x(startOf(to)), toY);
        }
      }
    }

    // The middle of a slice's row on the canvas; undefined if its group is collapsed.
    anchor({ track, depth }) {
      const row = this.state.layout.rows.find((each) => each.track === track);
      return (
        row &&
        RULER + row.y - this.view.scroll + 2 + Math.min(depth, shownLevels(track) - 1) * ROW + ROW / 2
      );
    }

    arrow(x, y, toX, toY) {
      const { context } = this;
      if (Math.max(x, toX) < GUTTER || Math.min(x, toX) > this.width) return;
      context.save();
      context.beginPath();
      context.rect(GUTTER, RULER, this.width - GUTTER, this.height);
      context.clip();
      context.strokeStyle = context.fillStyle = this.look.accent;
      context.lineWidth = 1.5;
      const bend = Math.max(12, Math.min(80, (toX - x) / 2));
      context.beginPath();
      context.moveTo(x, y);
      context.bezierCurveTo(x + bend, y, toX - bend, toY, toX - 5, toY);
      context.stroke();
      context.beginPath();
      context.moveTo(toX, toY);
      context.lineTo(toX - 7, toY - 4);
      context.lineTo(toX - 7, toY + 4);
      context.fill();
      context.restore();
    }

    group(row, y) {
      const context = this.context;
      context.fillStyle = this.look.raised;
      context.fillRect(0, y, this.width, row.height - 1);
      context.fillStyle = this.look.ink;
      context.font = "600 12px system-ui, sans-serif";
      const n = row.group.tracks.length;
      const text = `${row.group.open ? "▾" : "▸"} ${row.group.name}   ${n} ${n === 1 ? "track" : "tracks"}`;
      context.fillText(text, 8, y + row.height / 2);
    }

    track(row, y) {
      const context = this.context;
      context.save();
      context.beginPath();
      context.rect(GUTTER, y, this.width - GUTTER, row.height);
      context.clip();
      const n = shownLevels(row.track);
      for (let depth = 0; depth < n; depth++)
        this.level(row.track, row.track.levels[depth], y + depth * ROW + 2);
      if (row.track.path) this.path(row.track.path, y, row.height);
      context.restore();
      context.fillStyle = this.look.line;
      context.fillRect(0, y + row.height - 1, this.width, 1);
      this.name(row, y, n);
    }

    // The critical path: a band below its slices, and a tint behind them.
    path(path, y, height) {
      const { context, view } = this;
      context.fillStyle = PATH;
      for (
        let i = firstAfter(path, view.start - 1);
        i < path.start.length && path.start[i] < view.end;
        i++
      ) {
        const left = this.x(path.start[i]);
        const wide = Math.max(1, this.x(path.start[i] + path.dur[i]) - left);
        context.globalAlpha = 0.12;
        context.fillRect(left, y, wide, height - 1);
        context.globalAlpha = 1;
        context.fillRect(left, y + height - 5, wide, 3);
      }
    }

    name(row, y, n) {
      const context = this.context;
      const { track } = row;
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = this.look.ink;
      const fold = track.levels.length > 1 ? { some: "▾", all: "▾", none: "▸" }[track.fold] : " ";
      context.fillText(this.fit(`${fold} ${track.label}`, GUTTER - 20), 12, y + 2 + ROW / 2);
      if (n < 2) return;
      context.fillStyle = this.look.quiet;
      context.font = "11px system-ui, sans-serif";
      const hidden = track.levels.length - n;
      const deeper = hidden > 0 ? `, ${hidden} levels collapsed` : "";
      context.fillText(
        this.fit(`${format.whole(track.info.n_slices)} slices${deeper}`, GUTTER - 32),
        24,
        y + 2 + ROW * 1.5,
      );
    }

    // Shortens a text to fit, keeping both ends: names of kernels often differ at their ends only.
    fit(text, width) {
      const wide = (each) => this.context.measureText(each).width;
      const measured = wide(text);
      if (measured <= width) return text;
      const shortened = (n) =>
        `${text.slice(0, Math.ceil(n * 0.7))}…${text.slice(text.length - Math.floor(n * 0.3))}`;
      let n = Math.floor((text.length * width) / measured) - 1;
      while (n > 2 && wide(shortened(n)) > width) n--; // letters vary in width
      return n < 3 ? "" : shortened(n);
    }

    level(track, level, y) {
      this.shade(level.shade, y);
      const matches = this.state.matches;
      this.context.globalAlpha = matches ? 0.22 : 1;
      this.slices(level, y, null);
      this.context.globalAlpha = 1;
      if (matches) this.slices(level, y, matches);
      const kept = this.state.kept;
      if (kept && kept.level === level) this.outline(level, kept.at, y);
    }

    // The height of a bar is the share of time its aggregated slices cover.
    shade(shade, y) {
      const { context, view, model } = this;
      const width = model.bucket_ns;
      const height = ROW - 2;
      let last = -Infinity;
      context.globalAlpha = this.state.matches ? 0.15 : 0.55;
      for (
        let i = firstBucket(shade, view.start, width);
        i < shade.start.length && shade.start[i] < view.end;
        i++
      ) {
        const left = Math.max(GUTTER, Math.floor(this.x(shade.start[i])));
        const right = Math.max(
          left + 1,
          Math.min(this.width, Math.floor(this.x(shade.start[i] + width))),
        );
        if (left < last) continue;
        let share = shade.share[i];
        // Of several buckets in one pixel, the busiest is drawn.
        while (
          right - left === 1 &&
          i + 1 < shade.start.length &&
          Math.floor(this.x(shade.start[i + 1])) === left
        )
          share = Math.max(share, shade.share[++i]);
        const tall = Math.max(2, (Math.min(1000, share) / 1000) * height);
        context.fillStyle = categoryColor(model.categories[shade.category[i]] || "", this.dark);
        context.fillRect(left, y + height - tall, right - left, tall);
        last = right;
      }
      context.globalAlpha = 1;
    }

    slices(level, y, matches) {
      const { context, view, model } = this;
      let last = -Infinity;
      context.font = "11px system-ui, sans-serif";
      for (
        let i = firstAfter(level, view.start - 1);
        i < level.start.length && level.start[i] < view.end;
        i++
      ) {
        if (matches && !matches.has(level.name[i])) continue;
        const left = Math.max(GUTTER - 2, this.x(level.start[i]));
        const right = Math.min(this.width + 2, this.x(level.start[i] + level.dur[i]));
        const wide = Math.max(1, right - left);
        if (left + wide < last + 0.6) continue;
        context.fillStyle = sliceColor(model, level.name[i], level.category[i], this.dark);
        // A thin gap separates adjacent slices.
        context.fillRect(left, y, wide > 3 ? wide - 0.7 : wide, ROW - 2);
        if (wide > 34) {
          context.fillStyle = this.dark ? "#fff" : "#111";
          const name = model.names[level.name[i]] || "(no name)";
          context.fillText(this.fit(name, wide - 8), left + 4, y + ROW / 2 - 0.5);
        }
        last = left + wide;
      }
    }

    outline(level, at, y) {
      const left = this.x(level.start[at]);
      const wide = Math.max(2, this.x(level.start[at] + level.dur[at]) - left);
      this.context.strokeStyle = this.look.ink;
      this.context.lineWidth = 2;
      this.context.strokeRect(left, y, wide, ROW - 2);
    }

    // The item at a point of the canvas.
    under(x, y) {
      if (y < MAP) return { kind: "map" };
      if (y < RULER) return { kind: "ruler" };
      const inside = y - RULER + this.view.scroll;
      const row = this.state.layout.rows.find(
        (each) => inside >= each.y && inside < each.y + each.height,
      );
      if (!row) return { kind: "nothing" };
      if (row.kind === "group" || x < GUTTER) return { kind: "label", row };
      if (row.kind === "counters") return { kind: "counter", row, time: this.time(x) };
      const depth = Math.floor((inside - row.y - 2) / ROW);
      const level = depth >= 0 && depth < shownLevels(row.track) ? row.track.levels[depth] : null;
      return level ? this.inLevel(row, level, depth, x) : { kind: "nothing", row };
    }

    inLevel(row, level, depth, x) {
      const [from, to] = [this.time(x - 2), this.time(x + 2)];
      const middle = this.time(x);
      let found = -1;
      for (
        let i = firstAfter(level, from - 1);
        i < level.start.length && level.start[i] <= to;
        i++
      ) {
        const inside = level.start[i] <= middle && level.start[i] + level.dur[i] >= middle;
        if (inside || (found < 0 && level.start[i] + level.dur[i] >= from)) found = i;
        if (inside) break;
      }
      if (found >= 0) return { kind: "slice", row, level, depth, at: found };
      const bucket = firstBucket(level.shade, middle, this.model.bucket_ns);
      if (bucket < level.shade.start.length && level.shade.start[bucket] <= to)
        return { kind: "bucket", row, level, depth, at: bucket };
      return { kind: "nothing", row };
    }
  }

  return { Painter, layout, categoryColor, PATH, GUTTER, RULER, ROW };
})();
