"use strict";
// The data of the timeline: groups of tracks, tracks of levels, levels of slices and buckets.
tw.timelineData = (() => {
  const FIRST_LEVELS = 12; // of a deep track, until it is expanded
  const OPEN_GROUPS = 4;

  // Decodes differences and moves each start to the shared time.
  function starts(differences, time, scale = 1) {
    const found = new Float64Array(differences.length);
    let sum = 0;
    for (let i = 0; i < differences.length; i++) {
      sum += differences[i];
      found[i] = time(sum * scale);
    }
    return found;
  }

  const shared = (track) => (ns) =>
    ns + (track.shift_ns || 0) + Math.round((track.drift || 0) * ns);

  function byDepth(depths) {
    const places = [];
    depths.forEach((depth, at) => (places[depth] ||= []).push(at));
    return places;
  }

  const pick = (values, places, Kind) => Kind.from(places, (at) => values[at]);

  // The maximum end so far, for the search of the first visible slice.
  function reach(start, dur) {
    const found = new Float64Array(start.length);
    let farthest = -Infinity;
    for (let i = 0; i < start.length; i++)
      found[i] = farthest = Math.max(farthest, start[i] + dur[i]);
    return found;
  }

  function position(sorted, value) {
    let [low, high] = [0, sorted.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function levels(track, bucketNs) {
    const time = shared(track);
    const sliceStarts = starts(track.slices.start, time);
    const bucketStarts = starts(track.shade.bucket, time, bucketNs);
    const slices = byDepth(track.slices.depth);
    const buckets = byDepth(track.shade.depth);
    return Array.from({ length: track.n_levels }, (_, depth) => {
      const here = slices[depth] || [];
      const level = {
        start: pick(sliceStarts, here, Float64Array),
        dur: pick(track.slices.dur, here, Float64Array),
      };
      for (const key of ["name", "category", "id", "unfinished", "index"])
        level[key] = pick(track.slices[key], here, Float64Array);
      level.reach = reach(level.start, level.dur);
      level.atOf = (place) => position(here, place);
      level.numberOf = (at) => here[at];
      const shade = buckets[depth] || [];
      level.shade = { start: pick(bucketStarts, shade, Float64Array) };
      for (const key of ["n", "share", "category"])
        level.shade[key] = pick(track.shade[key], shade, Float64Array);
      return level;
    });
  }

  // The parts of the critical path on a track.
  function path(track) {
    if (!track.path) return null;
    const start = starts(track.path.start, shared(track));
    return { start, dur: track.path.dur, reach: reach(start, track.path.dur) };
  }

  function label(track) {
    if (track.kind === "stream")
      return `${device(track)} ${track.name || `stream ${track.stream}`}`.trim();
    if (track.kind === "engine" && track.device_name) return `${track.device_name} · ${track.name}`;
    return (
      track.thread ||
      track.name ||
      (track.tid === null ? `${track.kind || "track"}` : `thread ${track.tid}`)
    );
  }

  const device = (track) => (track.device === null ? "" : `dev ${track.device} ·`);

  function details(track) {
    const place =
      track.process || track.pid !== null ? `${track.process || "process"} ${track.pid ?? ""}` : "";
    return [label(track), track.device_name, place.trim()].filter(Boolean).join(" · ");
  }

  function groupName(track, several) {
    const rank = track.rank === null ? track.trace : `rank ${track.rank}`;
    return several ? `${track.run} · ${rank}` : rank;
  }

  function build(values) {
    const runs = new Set(values.tracks.map((track) => track.run_id));
    const groups = new Map();
    for (const track of values.tracks) {
      const key = `${track.trace_id}/${track.rank}`;
      if (!groups.has(key))
        groups.set(key, {
          name: groupName(track, runs.size > 1),
          trace: track.trace,
          tracks: [],
          open: groups.size < OPEN_GROUPS,
        });
      groups.get(key).tracks.push({
        info: track,
        label: label(track),
        details: details(track),
        levels: levels(track, values.bucket_ns),
        path: path(track),
        fold: "some",
      });
    }
    const model = { ...values, groups: [...groups.values()] };
    model.extent = extent(model);
    model.window = model.has_window ? [values.start_ns, values.end_ns] : model.extent;
    return model;
  }

  function extent(model) {
    let [first, last] = [Infinity, -Infinity];
    for (const { info } of model.groups.flatMap((group) => group.tracks)) {
      first = Math.min(first, shared(info)(info.start_ns));
      last = Math.max(last, shared(info)(info.end_ns));
    }
    return [first, Math.max(last, first + 1)];
  }

  const shownLevels = (track) => {
    if (track.fold === "none") return 1;
    return track.fold === "all" ? track.levels.length : Math.min(FIRST_LEVELS, track.levels.length);
  };

  // A click cycles from some levels to all (if there are more), to one, to some.
  function fold(track) {
    const deep = track.levels.length > FIRST_LEVELS;
    track.fold = { some: deep ? "all" : "none", all: "none", none: "some" }[track.fold];
  }

  // The first slice of a level that ends after a time.
  function firstAfter(level, time) {
    let [low, high] = [0, level.reach.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (level.reach[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function firstBucket(shade, time, width) {
    let [low, high] = [0, shade.start.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shade.start[middle] + width <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Notes on clocks, one for each run of several traces.
  function clocks(model) {
    const notes = [];
    const runs = new Map();
    for (const { info } of model.groups.flatMap((group) => group.tracks)) {
      if (!runs.has(info.run_id)) runs.set(info.run_id, new Map());
      runs.get(info.run_id).set(info.trace_id, info);
    }
    for (const traces of runs.values()) {
      const all = [...traces.values()];
      if (all.length < 2) continue;
      const name = runs.size > 1 ? `${all[0].run}: ` : "";
      const unknown = all.filter((info) => info.shift_ns === null);
      if (unknown.length) {
        const which =
          unknown.length === all.length
            ? "these traces"
            : unknown.map((info) => info.trace).join(", ");
        notes.push(
          `${name}Clock offsets are unknown for ${which}: each trace begins at zero, so times of different ranks are not comparable.`,
        );
      } else {
        const widest = Math.max(...all.map((info) => info.clock_uncertainty_ns || 0));
        const how = [...new Set(all.map((info) => info.clock_method).filter(Boolean))].join(", ");
        notes.push(
          `${name}Ranks share one time axis (${how || "method unknown"}; within ${tw.format.time(widest)}).`,
        );
      }
    }
    if (runs.size > 1) notes.push("Each run begins at zero.");
    return notes;
  }

  return { build, starts, shared, shownLevels, fold, firstAfter, firstBucket, clocks };
})();
