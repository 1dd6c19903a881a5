"use strict";
// Draws charts with ECharts, from data computed at export.
tw.charts = (() => {
  const { format } = tw;
  const COLORS = [
    "#2f7ed8",
    "#e07b39",
    "#3a9d5d",
    "#a05eb5",
    "#c9a227",
    "#d1495b",
    "#38a3a5",
    "#7d8597",
  ];
  const MORE = "#cf4a3c";
  const LESS = "#2e9458";
  const drawn = new Map(); // element -> { chart, side chart, title }

  function colors() {
    return {
      ink: tw.color("--ink"),
      quiet: tw.color("--quiet"),
      line: tw.color("--line"),
      paper: tw.color("--raised"),
    };
  }

  const unit = (name) => ({ unit: name, type: "DOUBLE" });

  // How the legend of a chart lies above it: all entries, or a list to page through. None is cut.
  function legendOf(given, look) {
    const LINES = 4;
    const width = Math.max(200, look.width - 10);
    const longest = Math.max(44, Math.floor((width - 46) / 7));
    let [lines, used] = [1, 0];
    for (const each of given.series) {
      const wide = 46 + 7 * cut(each.name, longest).length;
      if (used && used + wide > width) [lines, used] = [lines + 1, 0];
      used += wide;
    }
    const isPaged = lines > LINES;
    const common = { show: given.series.length > 1, top: 0, left: 0 };
    return {
      height: given.series.length > 1 ? 10 + 24 * Math.min(lines, LINES) : 10,
      legend: {
        ...common,
        ...(isPaged ? { type: "scroll", orient: "vertical", height: 22 * LINES } : { width }),
        formatter: (name) => cut(name, longest),
        textStyle: { color: look.ink },
        pageTextStyle: { color: look.quiet },
      },
    };
  }

  function shared(given, look) {
    const { legend, height: top } = legendOf(given, look);
    return {
      animation: false,
      color: COLORS,
      textStyle: { color: look.ink },
      aria: { enabled: true },
      legend,
      tooltip: {
        // Drawn on the canvas, so that text of a trace never becomes markup.
        renderMode: "richText",
        trigger: "axis",
        confine: true,
        backgroundColor: look.paper,
        borderColor: look.line,
        textStyle: { color: look.ink, fontSize: 12 },
      },
      grid: {
        left: 8,
        right: 24,
        top,
        bottom: 8,
        containLabel: true,
      },
    };
  }

  // Ends and steps of an axis: shares from 0 to 100 %, bytes in steps of a power of two.
  function scale(given) {
    const [low, high] = [least(given), given.most ?? greatest(given)];
    const isShare = given.unit === "ratio" && low >= 0 && high <= 1 + 1e-6;
    if (isShare && !given.names) return { min: 0, max: 1 };
    if (!/^byte(\/s)?$/.test(given.unit) || high <= 0) return { max: given.most };
    const from = given.names && low > high / 2 ? low : Math.min(0, low);
    const interval = 2 ** Math.ceil(Math.log2((high - from || high) / 5));
    const [min, max] = [Math.floor(from / interval), Math.ceil(high / interval)];
    return { min: min * interval, max: max * interval, interval };
  }

  function valueAxis(of, look) {
    return {
      type: "value",
      axisLabel: {
        color: look.quiet,
        hideOverlap: true,
        formatter: (value) => format.value(value, unit(of)),
      },
      splitLine: { lineStyle: { color: look.line } },
    };
  }

  const cut = (text, length) =>
    text.length > length ? `${text.slice(0, length - 14)}…${text.slice(-12)}` : text;

  function bars(given, look) {
    const tip = (items) =>
      [
        cut(items[0].name, 90),
        ...items.map(
          (item) =>
            `${item.marker}${item.seriesName}  ${format.value(item.value, unit(given.series[item.seriesIndex].unit))}`,
        ),
      ].join("\n");
    const options = barOptions(given, look);
    return {
      ...options,
      tooltip: { ...options.tooltip, formatter: tip },
      series: given.series.map((each) => ({
        type: "bar",
        name: each.name,
        data: each.values,
        barMaxWidth: 18,
        stack: given.kind === "stack" ? "all" : undefined,
      })),
    };
  }

  // Axes of horizontal bars with the labels of a chart.
  function barOptions(given, look) {
    const options = shared(given, look);
    return {
      ...options,
      tooltip: { ...options.tooltip, axisPointer: { type: "shadow" } },
      xAxis: { ...valueAxis(given.unit, look), ...(given.kind === "waterfall" ? {} : scale(given)), position: "top" }, // stays visible while long charts scroll
      yAxis: {
        type: "category",
        inverse: true,
        data: given.labels,
        axisTick: { show: false },
        axisLine: { lineStyle: { color: look.line } },
        axisLabel: {
          color: look.ink,
          fontSize: 11,
          interval: 0,
          formatter: (label) => cut(label, given.kind === "waterfall" ? 60 : 38),
        },
      },
    };
  }

  // The bars of a waterfall from one total to the other: name, what it starts and ends at.
  function steps(given) {
    const bars = [{ name: given.names[0], from: 0, to: given.first }];
    const add = (name, change) => {
      const from = bars[bars.length - 1].to;
      bars.push({ name, from, to: from + change, change });
    };
    given.labels.forEach((name, place) => add(name, given.changes[place]));
    if (given.n_rest) add(`${format.whole(given.n_rest)} others`, given.rest);
    bars[1 + given.labels.length - (given.n_rest ? 0 : 1)].to = given.last; // without rounding
    return [...bars, { name: given.names[1], from: 0, to: given.last }];
  }

  // The start of the axis: 0, unless the changes are small beside the totals.
  function lowest(bars) {
    const ends = bars.map((bar) => bar.to);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    if (!high || low < high / 2) return 0;
    const step = 10 ** Math.floor(Math.log10((high - low || high) / 2));
    return Math.max(0, Math.floor((low - (high - low) / 4) / step) * step);
  }

  function waterfall(given, look) {
    const bars = steps(given);
    const low = lowest(bars);
    const of = unit(given.unit);
    const text = (bar) =>
      bar.change === undefined ? format.value(bar.to, of) : format.signed(bar.change, of);
    const color = (bar) => (bar.change === undefined ? COLORS[0] : bar.change > 0 ? MORE : LESS);
    const options = barOptions({ ...given, labels: bars.map((bar) => bar.name) }, look);
    const tip = ([{ dataIndex }]) =>
      `${cut(bars[dataIndex].name, 90)}\n${text(bars[dataIndex])}, to ${format.value(bars[dataIndex].to, of)}`;
    return {
      ...options,
      tooltip: { ...options.tooltip, formatter: tip },
      grid: { ...options.grid, right: 84 },
      xAxis: { ...options.xAxis, min: low },
      series: [
        {
          type: "bar",
          stack: "all",
          silent: true,
          itemStyle: { color: "transparent" },
          data: bars.map((bar) => Math.max(low, Math.min(bar.from, bar.to))),
          barMaxWidth: 16,
        },
        {
          type: "bar",
          stack: "all",
          barMaxWidth: 16,
          data: bars.map((bar) => ({
            value: Math.max(bar.from, bar.to) - Math.max(low, Math.min(bar.from, bar.to)),
            itemStyle: { color: color(bar) },
            label: { formatter: text(bar) },
          })),
          label: { show: true, position: "right", color: look.ink, fontSize: 11 },
        },
      ],
    };
  }

  // Vertical lines with a text above.
  function marked(marks, look) {
    return {
      symbol: "none",
      silent: true,
      lineStyle: { color: COLORS[5], type: "dashed" },
      data: marks.map((mark) => ({
        xAxis: mark.x,
        label: { formatter: mark.text.replace(/[{}|]/g, " "), color: look.ink, fontSize: 11 },
      })),
    };
  }

  function lines(given, look) {
    const xName = (x) => (given.names && given.names[x]) || format.value(x, unit(given.x_unit));
    const tip = (items) =>
      [
        cut(xName(items[0].value[0]), 90),
        ...items
          .slice(0, 12)
          .map(
            (item) =>
              `${item.marker}${cut(item.seriesName, 50)}  ${item.value[1] === null ? "no value" : format.value(item.value[1], unit(given.unit))}`,
          ),
      ].join("\n");
    const options = shared(given, look);
    const xAxis = valueAxis(given.x_unit, look);
    if (given.names) {
      xAxis.minInterval = 1;
      xAxis.axisLabel.formatter = (x) => cut(xName(x), 22);
    }
    return {
      ...options,
      tooltip: { ...options.tooltip, formatter: tip },
      grid: { ...options.grid, bottom: 30, top: options.grid.top + (given.marks?.length ? 22 : 0) },
      xAxis: { ...xAxis, min: "dataMin", max: "dataMax", splitLine: { show: false } },
      // The figures of runs differ little, so their axis need not start at 0.
      yAxis: { ...valueAxis(given.unit, look), scale: Boolean(given.names), ...scale(given) },
      dataZoom: [
        {
          type: "slider",
          height: 16,
          bottom: 4,
          labelFormatter: (value) => format.value(value, unit(given.x_unit)),
          textStyle: { color: look.quiet },
        },
      ],
      series: given.series.map((each, place) => ({
        type: "line",
        name: each.name,
        data: each.points,
        showSymbol: each.points.length === 1 || (place === 0 && Boolean(given.names)),
        lineStyle: { width: given.kind === "area" ? 0.5 : 1.4 },
        ...(given.kind === "area" ? { stack: "all", step: "end", areaStyle: { opacity: 0.8 } } : {}),
        markLine: place === 0 && given.marks ? marked(given.marks, look) : undefined,
      })),
    };
  }

  function height(given) {
    if (given.kind === "line" || given.kind === "area") return 280;
    if (given.kind === "waterfall") return 70 + 22 * (given.labels.length + 3);
    const perLabel = given.kind === "stack" ? 22 : 12 + 10 * given.series.length;
    return Math.max(120, 60 + perLabel * given.labels.length);
  }

  // The minimum of a chart.
  function least(given) {
    if (given.kind === "stack") return 0;
    const values = given.series.flatMap(
      (each) => each.values || each.points.map((point) => point[1]),
    );
    return values.reduce((low, value) => (typeof value === "number" ? Math.min(low, value) : low), Infinity);
  }

  // The maximum of a chart; charts shown side by side share a scale.
  function greatest(given) {
    if (["heat", "region", "waterfall"].includes(given.kind)) return 0;
    const figures = (each) =>
      (each.values || each.points.map((point) => point[1])).map((value) =>
        typeof value === "number" ? value : 0,
      );
    if (given.kind === "area") {
      const points = given.series[0]?.points ?? [];
      return Math.max(0, ...points.map((_, n) => given.series.reduce((sum, each) => sum + each.points[n][1], 0)));
    }
    if (given.kind !== "stack")
      return given.series.reduce((most, each) => Math.max(most, ...figures(each)), 0);
    const sums = given.labels.map((_, place) =>
      given.series.reduce((sum, each) => sum + figures(each)[place], 0),
    );
    return Math.max(0, ...sums);
  }

  function draw(place, given) {
    if (given.kind === "heat") return tw.heat.draw(place, given);
    if (given.kind === "region") return tw.regions.draw(place, given);
    place.style.height = `${height(given)}px`;
    const chart = echarts.init(place, null, { renderer: "canvas" });
    drawn.set(place, { chart, given });
    paint(chart, given);
    new ResizeObserver(() => {
      const before = chart.getWidth();
      chart.resize();
      if (chart.getWidth() !== before) paint(chart, given); // its legend may take more lines
    }).observe(place);
  }

  function paint(chart, given) {
    const look = { ...colors(), width: chart.getWidth() };
    const options = { line: lines, area: lines, waterfall }[given.kind] || bars;
    chart.setOption(options(given, look), true);
  }

  // Redraws charts after a change of the theme or of the print width.
  function repaint() {
    for (const { chart, given } of drawn.values()) {
      chart.resize();
      paint(chart, given);
    }
    tw.heat.repaint();
    tw.regions.repaint();
  }

  return {
    draw, greatest, repaint, height, steps, options: { bars, lines, waterfall }, drawn, palette: COLORS,
  };
})();
