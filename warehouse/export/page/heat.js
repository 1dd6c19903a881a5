"use strict";
// Draws heat maps: a row for each rank, a column for each step; darker is greater.
tw.heat = (() => {
  const { element, format } = tw;
  const NO_VALUE = 255;
  const HIGHEST = 254;
  // From light to dark; the first is near the paper, the last near the ink.
  const STOPS = [
    [247, 251, 255],
    [158, 202, 225],
    [49, 130, 189],
    [8, 48, 107],
  ];
  const drawn = [];

  function shade(level) {
    const dark = document.documentElement.classList.contains("dark");
    const at = (dark ? 1 - level / HIGHEST : level / HIGHEST) * (STOPS.length - 1);
    const below = Math.min(STOPS.length - 2, Math.floor(at));
    return STOPS[below].map((from, n) => from + (STOPS[below + 1][n] - from) * (at - below));
  }

  const levelsOf = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

  function paint({ canvas, levels, nColumns, nRows }) {
    const context = canvas.getContext("2d");
    const image = context.createImageData(nColumns, nRows);
    const palette = Array.from({ length: HIGHEST + 1 }, (_, level) => shade(level));
    levels.forEach((level, place) => {
      if (level === NO_VALUE) return;
      const [red, green, blue] = palette[level];
      image.data.set([red, green, blue, 255], 4 * place);
    });
    context.putImageData(image, 0, 0);
  }

  function valueText(series, level) {
    if (level === NO_VALUE) return "no value";
    const of = { unit: series.unit, type: "DOUBLE" };
    const value = series.low + ((series.high - series.low) * level) / HIGHEST;
    const text = format.value(value, of);
    if (level === 0 && series.least < series.low) return `${text} or less`;
    if (level === HIGHEST && series.greatest > series.high) return `${text} or more`;
    return `about ${text}`;
  }

  function columnText(given, column) {
    const [first, next] = [given.columns[column], given.columns[column + 1]];
    const shown = (x) => (given.x_unit === "ns" ? format.value(x, { unit: "ns", type: "BIGINT" }) : x);
    return given.n_merged > 1
      ? `${given.x} ${shown(first)} to ${next === undefined ? "the last" : shown(next - 1)}, greatest value`
      : `${given.x} ${shown(first)}`;
  }

  function map(given, series) {
    const [nRows, nColumns] = [given.labels.length, given.columns.length];
    const canvas = element("canvas", {
      class: "heat",
      width: nColumns,
      height: nRows,
      role: "img",
      "aria-label": `Heat map of ${series.name}, ${given.labels.length} rows by ${given.x}`,
    });
    canvas.style.height = `${Math.min(Math.max(120, 14 * nRows), Math.max(480, nRows))}px`;
    const of = { unit: series.unit, type: "DOUBLE" };
    const range = `${format.value(series.least, of)} to ${format.value(series.greatest, of)}`;
    const about = `${series.name}: ${range}`;
    const status = element("p", { class: "quiet", text: about });
    const levels = levelsOf(series.levels);
    canvas.addEventListener("mousemove", (event) => {
      const column = Math.min(nColumns - 1, Math.floor((event.offsetX / canvas.clientWidth) * nColumns));
      const row = Math.min(nRows - 1, Math.floor((event.offsetY / canvas.clientHeight) * nRows));
      if (column < 0 || row < 0) return;
      const value = valueText(series, levels[row * nColumns + column]);
      status.textContent = `${series.name}: ${given.labels[row]}, ${columnText(given, column)}: ${value}`;
    });
    canvas.addEventListener("mouseleave", () => (status.textContent = about));
    const made = { canvas, levels, nColumns, nRows };
    paint(made);
    drawn.push(made);
    return [status, canvas];
  }

  function draw(place, given) {
    const axes = `Rows: ${given.labels[0]} (top) to ${given.labels.at(-1)}; columns: ${columnText(given, 0)} (left) to ${columnText(given, given.columns.length - 1)}.`;
    place.append(element("p", { class: "quiet", text: axes }));
    for (const series of given.series) place.append(...map(given, series));
  }

  return { draw, repaint: () => drawn.forEach(paint) };
})();
