"use strict";
// Relations of a slice: what contains it, what it launched or was launched by, its peers. Slices are
// numbered as in the data; an `end` is a slice that is not drawn, with its place.
tw.timelineLinks = (() => {
  const { element, format } = tw;
  const { firstAfter } = tw.timelineData;
  const SHOWN = 8; // of each relation
  const WAYS = {
    launch: ["launched by", "launched"],
    op_device: ["caused by", "caused"],
    op_launch: ["called for", "called"],
    sync_call: ["synchronized by", "synchronizes"],
    wait: ["waited for", "awaited by"],
    event_wait: ["waited for", "awaited by"],
    enqueue: ["enqueued by", "enqueued"],
    forward_backward: ["forward", "backward"],
    collective_peer: ["peer", "peer"],
  };

  // Resolves the links: `from` and `to` are places of slices.
  function build(model) {
    let base = 0;
    const tracks = model.groups.flatMap((group) =>
      group.tracks.map((track) => ({ group, track })),
    );
    const byId = new Map(tracks.map((each) => [each.track.info.track_id, each]));
    const inOrder = model.tracks.map((info) => byId.get(info.track_id));
    for (const each of inOrder) {
      each.track.base = base;
      base += each.track.info.slices.start.length;
    }
    const resolve = resolver(inOrder);
    model.links = (model.links || []).flatMap(({ kind, from, to }) => {
      let [source, target] = [0, 0];
      return from.map((step, place) => {
        source += step;
        target += to[place];
        return { kind, from: resolve(source), to: resolve(target) };
      });
    });
    model.links.push(...ends(model, inOrder, resolve));
  }

  // The place of the slice with a number.
  function resolver(inOrder) {
    return (number) => {
      let [low, high] = [0, inOrder.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (inOrder[middle].track.base <= number) low = middle;
        else high = middle - 1;
      }
      const { group, track } = inOrder[low];
      const place = number - track.base;
      const depth = track.info.slices.depth[place];
      const level = track.levels[depth];
      return { kind: "slice", group, track, level, depth, at: level.atOf(place) };
    };
  }

  function ends(model, inOrder, resolve) {
    const given = model.ends;
    if (!given) return [];
    let start = 0;
    return given.to.map((number, place) => {
      start += given.start[place];
      const { group, track } = inOrder[given.track[place]];
      const call = {
        kind: "end",
        group,
        track,
        depth: given.depth[place],
        start: tw.timelineData.shared(track.info)(start),
        dur: given.dur[place],
        name: given.name[place],
      };
      return { kind: "launch", from: call, to: resolve(number) };
    });
  }

  const startOf = (place) => (place.level ? place.level.start[place.at] : place.start);
  const endOf = (place) => startOf(place) + (place.level ? place.level.dur[place.at] : place.dur);
  const nameOf = (model, place) =>
    model.names[place.level ? place.level.name[place.at] : place.name] || "(no name)";
  const isSame = (a, b) => a.level && a.level === b.level && a.at === b.at;
  const isInside = (a, b) =>
    a.track === b.track && a.depth >= b.depth && startOf(a) >= startOf(b) && endOf(a) <= endOf(b);

  // The slices that contain a place, innermost first.
  function around({ track, group, depth, ...rest }) {
    const found = [];
    const start = startOf(rest);
    for (let above = depth - 1; above >= 0; above--) {
      const level = track.levels[above];
      for (let i = firstAfter(level, start); i < level.start.length && level.start[i] <= start; i++)
        if (level.start[i] + level.dur[i] >= endOf(rest) && level.dur[i] > 0) {
          found.push({ kind: "slice", group, track, level, depth: above, at: i });
          break;
        }
    }
    return found;
  }

  // The relations of a slice as [text, places]; what it launched includes what is called in it.
  function of(model, kept) {
    const rows = new Map();
    const add = (name, place) => rows.set(name, [...(rows.get(name) || []), place]);
    const calls = [];
    for (const link of model.links) {
      const [by, to] = WAYS[link.kind] || [`${link.kind} from`, `${link.kind} to`];
      if (isSame(link.to, kept)) {
        add(by, link.from);
        if (link.kind === "launch" || link.kind === "op_device") calls.push(link.from);
      } else if (isSame(link.from, kept) || (link.kind === "launch" && isInside(link.from, kept)))
        add(to, link.to);
    }
    const within = calls.length ? around(calls[0]) : around(kept);
    return [...(within.length ? [["within", within]] : []), ...rows];
  }

  // Its rank by duration among the drawn slices of its name and run.
  function rank(model, { level, at, track }) {
    let [n, longer] = [0, 0];
    for (const other of model.groups.flatMap((group) => group.tracks)) {
      if (other.info.run_id !== track.info.run_id) continue;
      for (const each of other.levels)
        each.name.forEach((name, place) => {
          if (name !== level.name[at]) return;
          n++;
          if (each.dur[place] > level.dur[at]) longer++;
        });
    }
    return `${format.whole(longer + 1)} of ${format.whole(n)} drawn slices of this name, longest first`;
  }

  // Rows of the panel: a button leads to each place.
  function list(model, relations, go) {
    return relations.flatMap(([name, places]) => {
      const shown = places.slice(0, SHOWN).map((place) => {
        const button = element("button", {
          type: "button",
          class: "link",
          text: nameOf(model, place),
          title: `${nameOf(model, place)}\n${format.time(startOf(place))}, ${format.time(endOf(place) - startOf(place))}`,
        });
        button.addEventListener("click", () => go(place));
        return button;
      });
      const sign = name === "within" ? " ← " : ", ";
      const row = element("dd", {}, ...shown.flatMap((each, n) => (n ? [sign, each] : [each])));
      if (places.length > SHOWN) row.append(` and ${format.whole(places.length - SHOWN)} more`);
      return [element("dt", { text: name }), row];
    });
  }

  return { build, of, rank, list, startOf, endOf };
})();
