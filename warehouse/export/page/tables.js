"use strict";
// Tables: sorted by clicking a header, filtered by the search, shown in pages.
tw.tables = (() => {
  const { element, format } = tw;
  const FIRST = 20;
  const MORE = 200;
  const WIDE = 16; // columns, above which they are printed smaller
  const SELF_EVIDENT = new Set(["text", "count", "bool", "json"]);

  const isNumber = (column) =>
    /INT|DOUBLE|FLOAT|DECIMAL|NUM/.test(column.type) && !column.type.endsWith("[]");

  // Shares of a total get a bar; changes, which can be above 1 or below 0, do not.
  const isShare = (column, value) =>
    column.unit === "ratio" && !/change/.test(column.name) && value > 0 && value <= 1;

  // A name that may break after its underscores, in print.
  const words = (name) =>
    name.split(/(?<=_)/).flatMap((part, place) => (place ? [element("wbr"), part] : [part]));

  // Ids are hidden by default, except the run if there are several; columns without values, in print.
  function classify(cell, column) {
    cell.classList.toggle("blank", Boolean(column.blank));
    cell.classList.toggle("id", format.isId(column));
    cell.classList.toggle("run", column.name === "run_id");
  }

  function compare(a, b) {
    if (a === b) return 0;
    if (a === null) return 1; // null sorts last
    if (b === null) return -1;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  }

  // Rows are row numbers; values stay in columns.
  class Table {
    constructor(columns, side) {
      this.values = side.values;
      this.columns = columns.map((column, place) => ({
        ...column,
        blank: this.nHereOf(place) > 0 && this.values[place].every((value) => value === null),
      }));
      this.nRows = side.n_rows;
      this.nHere = side.values.length ? side.values[0].length : 0;
      this.sorted = { column: -1, down: false };
      this.order = Array.from({ length: this.nHere }, (_, row) => row);
      this.limit = FIRST;
      this.search = "";
      this.element = this.build();
      this.fill();
    }

    nHereOf(place) {
      return this.values.length ? this.values[place].length : 0;
    }

    build() {
      this.body = element("tbody");
      this.heads = this.columns.map((column, place) => this.head(column, place));
      const nPrinted = this.columns.filter((column) => !column.blank).length;
      const table = element(
        "table",
        { class: nPrinted > WIDE ? "wide" : undefined },
        element("thead", {}, element("tr", {}, ...this.heads)),
        this.body,
      );
      this.note = element("span");
      this.more = element("button", { type: "button", text: "Show more" });
      this.more.addEventListener("click", () => {
        this.limit += MORE;
        this.fill();
      });
      const scroll = element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
        table,
      );
      return element("div", {}, scroll, element("div", { class: "under" }, this.note, this.more));
    }

    head(column, place) {
      const button = element(
        "button",
        { type: "button", title: this.meaning(column) },
        ...words(column.name),
      );
      if (column.unit && !SELF_EVIDENT.has(column.unit) && !format.isId(column)) {
        button.append(" ", element("span", { class: "unit", text: column.unit }));
      }
      button.addEventListener("click", () => this.sort(place));
      const head = element("th", { scope: "col" }, button);
      head.classList.toggle("number", isNumber(column));
      classify(head, column);
      return head;
    }

    meaning(column) {
      return `${column.help || column.name}\nunit: ${column.unit || "none"}; type: ${column.type}`;
    }

    sort(place) {
      const down = this.sorted.column === place ? !this.sorted.down : isNumber(this.columns[place]);
      this.sorted = { column: place, down };
      const values = this.values[place];
      const sign = down ? -1 : 1;
      this.order.sort((a, b) => {
        if (values[a] === null || values[b] === null) return compare(values[a], values[b]);
        return sign * compare(values[a], values[b]) || a - b;
      });
      this.heads.forEach((head, at) => {
        if (at === place) head.setAttribute("aria-sort", down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      this.fill();
    }

    // Shows the rows that contain the text; returns their number.
    filter(text) {
      this.search = text;
      this.limit = FIRST;
      return this.fill();
    }

    matching() {
      if (!this.search) return this.order;
      this.texts ||= Array.from({ length: this.nHere }, (_, row) => this.text(row));
      return this.order.filter((row) => this.texts[row].includes(this.search));
    }

    text(row) {
      const given = this.values.map((column) => column[row]).filter((value) => value !== null);
      return given.join("\n").toLowerCase();
    }

    fill() {
      const rows = this.matching();
      this.body.replaceChildren(...rows.slice(0, this.limit).map((row) => this.row(row)));
      this.more.hidden = rows.length <= this.limit;
      this.note.textContent = this.summary(rows.length);
      return rows.length;
    }

    summary(nMatching) {
      const whole = format.whole;
      if (!this.nRows) return "no rows";
      const here =
        this.nHere < this.nRows
          ? `first ${whole(this.nHere)} of ${whole(this.nRows)} rows`
          : `${whole(this.nRows)} ${this.nRows === 1 ? "row" : "rows"}`;
      const matching = this.search ? `${whole(nMatching)} matches in ` : "";
      const shown = Math.min(this.limit, nMatching);
      return matching + here + (shown < nMatching ? `; ${whole(shown)} shown` : "");
    }

    row(row) {
      return element(
        "tr",
        {},
        ...this.columns.map((column, place) =>
          this.cell(this.inRow(column, row), this.values[place][row]),
        ),
      );
    }

    // The unit of some columns varies by row and is in another column.
    inRow(column, row) {
      const found = /^see (\w+)$/.exec(column.unit);
      const place = found ? this.columns.findIndex((each) => each.name === found[1]) : -1;
      return place < 0 ? column : { ...column, unit: this.values[place][row] || "" };
    }

    cell(column, value) {
      const text = format.value(value, column);
      const cell = element("td", { text });
      if (typeof value === "number") cell.classList.add("number");
      classify(cell, column);
      if (typeof value === "number" || (typeof value === "string" && value.length > 40)) {
        cell.title = format.exactly(value, column);
      }
      if (column.change && typeof value === "number") {
        cell.textContent = format.signed(value, column);
        if (value) cell.classList.add(value > 0 ? "more" : "less");
      }
      if (isShare(column, value)) {
        cell.classList.add("share");
        cell.style.setProperty("--share", `${100 * value}%`);
      }
      return cell;
    }
  }

  return { Table };
})();
