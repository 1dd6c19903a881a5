"use strict";
// Formats values: short in cells, exact in tooltips. All modules of the page are members of `tw`.
const tw = {};

tw.format = (() => {
  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const rounded = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
  const exact = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 17 });
  const TIMES = [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ];
  const SIZES = [
    [2 ** 40, "TiB"],
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
    [1, "B"],
  ];
  const RATES = [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
    [1, ""],
  ];

  // Four digits; with an exponent instead of many zeros.
  const short = {
    format: (value) =>
      value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(2) : rounded.format(value),
  };

  function scaled(value, scales, space = " ") {
    const size = Math.abs(value);
    const [factor, unit] = scales.find(([least]) => size >= least) || scales[scales.length - 1];
    return short.format(value / factor) + (unit ? space + unit : "");
  }

  const time = (ns) => scaled(ns, TIMES);

  // A time on an axis, with enough digits to distinguish adjacent ticks.
  function tick(ns, step) {
    if (ns === 0) return "0";
    const [factor, unit] = TIMES.find(([least]) => Math.abs(ns) >= least) || TIMES[3];
    const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / factor) - 1e-9)));
    return `${(ns / factor).toFixed(digits)} ${unit}`;
  }

  const BY_UNIT = {
    ns: time,
    ratio: (value) => `${short.format(value * 100)} %`,
    percent: (value) => `${short.format(value)} %`,
    byte: (value) => scaled(value, SIZES),
    "byte/s": (value) => `${scaled(value, SIZES)}/s`,
    "GB/s": (value) => `${short.format(value)} GB/s`,
    "1/s": (value) => `${scaled(value, RATES)}/s`,
    Hz: (value) => `${scaled(value, RATES)}Hz`,
    count: (value) => (Number.isInteger(value) ? whole.format(value) : short.format(value)),
  };

  const isId = (column) => column.unit === "id" || column.unit.startsWith("ref ");

  function value(given, column) {
    if (given === null || given === undefined) return "";
    if (typeof given === "boolean") return given ? "yes" : "no";
    if (typeof given !== "number") return String(given);
    if (isId(column) || column.unit === "source id" || column.unit === "address")
      return String(given);
    const write = BY_UNIT[column.unit];
    if (write) return write(given);
    return Number.isInteger(given) ? whole.format(given) : short.format(given);
  }

  // A change, with its sign.
  const signed = (given, column) =>
    (given > 0 ? "+" : given < 0 ? "−" : "±") + value(Math.abs(given), column);

  // The exact value with its unit, for tooltips.
  function exactly(given, column) {
    if (given === null || given === undefined) return "no value";
    if (typeof given !== "number") return String(given);
    const figure = isId(column) ? String(given) : exact.format(given);
    return column.unit && column.unit !== "count" && !isId(column)
      ? `${figure} ${column.unit}`
      : figure;
  }

  return { value, signed, exactly, time, tick, isId, whole: (n) => whole.format(n) };
})();

// An element with text and attributes; text never becomes markup.
tw.element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") made.textContent = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};

tw.color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
