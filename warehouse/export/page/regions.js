"use strict";
// Draws regions: a map of rectangles for each label, over common axes that a drag zooms.
tw.regions = (() => {
  const { element, format } = tw;
  const [LEFT, TOP, BOTTOM, HEIGHT] = [74, 6, 20, 190];
  const LEAST_HEIGHT = 12; // pixels; a lower drag zooms the x axis alone
  const [LABEL, SERIES, TEXT, X, X_END, Y, Y_END] = [0, 1, 2, 3, 4, 5, 6];
  const charts = [];

  const colorOf = (series) => tw.charts.palette[series % tw.charts.palette.length];

  // The end of the y axis: that given, or the next power of two.
  function top(given) {
    const most = given.regions.reduce((high, each) => Math.max(high, each[Y], each[Y_END] ?? 0), 1);
    return Math.max(given.height ?? 0, given.height >= most ? 0 : 2 ** Math.ceil(Math.log2(most)));
  }

  function whole(given) {
    const start = given.regions.reduce((low, each) => Math.min(low, each[X]), Infinity);
    const end = given.regions.reduce((high, each) => Math.max(high, each[X_END]), -Infinity);
    return { start, end: Math.max(end, start + 1), low: 0, high: top(given) };
  }

  function scales(view, canvas) {
    const [width, height] = [canvas.clientWidth - LEFT, HEIGHT - TOP - BOTTOM];
    return {
      x: (value) => LEFT + ((value - view.start) / (view.end - view.start)) * width,
      y: (value) => TOP + height - ((value - view.low) / (view.high - view.low)) * height,
    };
  }

  // Places on a canvas, in CSS pixels; a region is at least a pixel wide and two high.
  function box(chart, canvas, region) {
    const { x, y } = scales(chart.view, canvas);
    const [left, right] = [x(region[X]), x(region[X_END])];
    const [low, high] = [y(region[Y]), y(region[Y_END] ?? region[Y])];
    const tall = Math.max(2, low - high);
    return { left, width: Math.max(1, right - left), top: low - tall, height: tall };
  }

  // Steps of an axis: powers of two for bytes, else 1, 2 or 5 times a power of ten.
  function stepOf(length, unit, n) {
    if (unit === "byte") return 2 ** Math.max(0, Math.ceil(Math.log2(length / n)));
    const power = 10 ** Math.floor(Math.log10(length / n));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= length / n);
  }

  function* ticks(from, to, step) {
    for (let n = Math.ceil(from / step); n * step <= to; n += 1) yield n * step;
  }

  function axes({ given, view }, canvas, context) {
    const { x, y } = scales(view, canvas);
    const width = canvas.clientWidth;
    context.font = "11px sans-serif";
    context.textAlign = "right";
    for (const value of ticks(view.low, view.high, stepOf(view.high - view.low, given.unit, 8))) {
      context.fillStyle = tw.color("--line");
      context.fillRect(LEFT, Math.round(y(value)), width - LEFT, 1);
      context.fillStyle = tw.color("--quiet");
      context.fillText(format.value(value, { unit: given.unit }), LEFT - 6, y(value) + 4);
    }
    const step = stepOf(view.end - view.start, given.x_unit, 6);
    for (const value of ticks(view.start, view.end, step)) {
      context.textAlign = x(value) > width - 40 ? "right" : x(value) < LEFT + 40 ? "left" : "center";
      context.fillText(format.tick(value, step), x(value), HEIGHT - 6);
    }
  }

  function paint(chart) {
    for (const { canvas, regions } of chart.rows) {
      const scale = devicePixelRatio || 1;
      canvas.width = canvas.clientWidth * scale;
      canvas.height = HEIGHT * scale;
      const context = canvas.getContext("2d");
      context.scale(scale, scale);
      axes(chart, canvas, context);
      context.save();
      context.beginPath();
      context.rect(LEFT, 0, canvas.clientWidth - LEFT, HEIGHT - BOTTOM + 2);
      context.clip();
      context.globalAlpha = 0.75;
      for (const region of regions) {
        const { left, width, top: y, height } = box(chart, canvas, region);
        context.fillStyle = colorOf(region[SERIES]);
        context.fillRect(left, y, width, height);
      }
      context.restore();
      if (chart.drag?.canvas === canvas) {
        context.fillStyle = tw.color("--mark");
        context.globalAlpha = 0.5;
        const { left, right, above, below } = dragged(chart.drag);
        context.fillRect(left, above, right - left, below - above);
      }
    }
  }

  // The part of a canvas that a drag covers.
  function dragged({ from, to }) {
    const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
    const [above, below] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
    if (below - above >= LEAST_HEIGHT) return { left, right, above, below };
    return { left, right, above: TOP, below: HEIGHT - BOTTOM };
  }

  // The last region drawn at a place.
  function under(chart, { canvas, regions }, x, y) {
    return regions.findLast((region) => {
      const { left, width, top: above, height } = box(chart, canvas, region);
      return x >= left - 1 && x <= left + width + 1 && y >= above - 1 && y <= above + height + 1;
    });
  }

  function textOf(given, region) {
    const [x, y] = [{ unit: given.x_unit }, { unit: given.unit }];
    const size = region[Y_END] === null ? "size unknown" : format.value(region[Y_END] - region[Y], y);
    const place = `${size} at ${format.value(region[Y], y)}`;
    const time = `from ${format.value(region[X], x)}, for ${format.value(region[X_END] - region[X], x)}`;
    return `${given.labels[region[LABEL]]}: ${given.series[region[SERIES]].name} by ${given.texts[region[TEXT]]}, ${place}, ${time}`;
  }

  function zoom(chart, drag) {
    const { start, end, low, high } = chart.view;
    const { left, right, above, below } = dragged(drag);
    const [width, height] = [drag.canvas.clientWidth - LEFT, HEIGHT - TOP - BOTTOM];
    const x = (place) => start + (Math.min(width, Math.max(0, place - LEFT)) / width) * (end - start);
    const y = (place) => high - (Math.min(height, Math.max(0, place - TOP)) / height) * (high - low);
    const view = { start: x(left), end: x(right), low: y(below), high: y(above) };
    if (view.end - view.start >= 1 && view.high - view.low >= 1) chart.view = view;
  }

  function listen(chart, row) {
    const { canvas } = row;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const from = [event.offsetX, event.offsetY];
      chart.drag = { canvas, from, to: from };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (chart.drag) {
        chart.drag.to = [event.offsetX, event.offsetY];
        paint(chart);
        return;
      }
      const found = under(chart, row, event.offsetX, event.offsetY);
      chart.status.textContent = found ? textOf(chart.given, found) : chart.about;
    });
    canvas.addEventListener("pointerup", () => {
      const { drag } = chart;
      chart.drag = null;
      if (drag && Math.abs(drag.to[0] - drag.from[0]) > 4) zoom(chart, drag);
      paint(chart);
    });
    canvas.addEventListener("pointercancel", () => (chart.drag = null));
    canvas.addEventListener("dblclick", () => {
      chart.view = whole(chart.given);
      paint(chart);
    });
  }

  function legend(given) {
    const entries = given.series.map((each, place) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.background = colorOf(place);
      return element("span", {}, swatch, ` ${each.name}  `);
    });
    return element("p", {}, ...entries);
  }

  function draw(place, given) {
    const about = "Drag over an area to zoom, double-click for all; point at a rectangle for its values.";
    const status = element("p", { class: "quiet", text: about });
    const rows = given.labels.map((label, number) => ({
      regions: given.regions.filter((each) => each[LABEL] === number),
      canvas: element("canvas", { class: "regions", role: "img", "aria-label": `Regions of ${label}` }),
      label,
    }));
    const chart = { given, about, status, rows, view: whole(given), drag: null };
    place.append(legend(given), status);
    for (const row of rows) {
      row.canvas.style.height = `${HEIGHT}px`;
      place.append(element("p", { class: "quiet", text: row.label }), row.canvas);
      listen(chart, row);
    }
    charts.push(chart);
    new ResizeObserver(() => paint(chart)).observe(place);
  }

  return { draw, repaint: () => charts.forEach(paint), charts };
})();
