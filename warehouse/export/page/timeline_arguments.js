"use strict";
// Arguments of slices: sets of slices with the same keys, their values as columns.
tw.timelineArguments = (() => {
  const { element, format } = tw;

  // The place of each slice with arguments, by its number.
  function build(model) {
    model.argumentsOf = new Map();
    for (const set of model.arguments || []) {
      let number = 0;
      set.of.forEach((step, row) => {
        number += step;
        model.argumentsOf.set(number, [set, row]);
      });
    }
  }

  // A string without its quotes; other values, and what was cut, as they are.
  function text(json) {
    try {
      const value = JSON.parse(json);
      return typeof value === "string" ? value : json;
    } catch {
      return json;
    }
  }

  // The arguments of a slice as [key, text].
  function of(model, { track, level, at }) {
    const found = model.argumentsOf.get(track.base + level.numberOf(at));
    if (!found) return [];
    const [{ keys, values }, row] = found;
    return keys.map((key, place) => {
      const column = values[place];
      return [key, text(Array.isArray(column) ? column[row] : column)];
    });
  }

  // A list of them; of a page without all, the command that prints those of the slice.
  function list(model, place, id) {
    const rows = of(model, place);
    if (rows.length)
      return [
        element("h4", { text: "Arguments" }),
        element(
          "dl",
          { class: "arguments" },
          ...rows.flatMap(([key, value]) => [
            element("dt", { text: key }),
            element("dd", { text: value }),
          ]),
        ),
      ];
    if (!model.n_arguments_left_out) return [];
    const command = `tw query -c "SELECT args_json FROM slice WHERE id = ${id}" --run ${place.track.info.run_id}`;
    return [
      element(
        "p",
        { class: "quiet" },
        `The page has arguments of the longest slices; ${format.whole(model.n_arguments_left_out)} slices have others. Those of this one, if any: `,
        element("code", { text: command }),
      ),
    ];
  }

  return { build, of, list };
})();
