"use strict";
// Builds the page: overview, contents, sections once they become visible, search, theme.
(() => {
  const { element, format } = tw;
  const at = (id) => document.getElementById(id);
  const report = JSON.parse(at("report-data").textContent);
  const timeline = JSON.parse(at("timeline-data").textContent); // {}: the page has none
  const CARDS = 3;
  const all = report.sections.map((values, number) => ({
    values,
    number,
    tables: [],
    built: false,
  }));
  const hasRows = (section) => section.values.sides.some((side) => side.n_rows > 0);
  const sections = all.filter(hasRows);
  const withoutRows = all.filter((section) => !hasRows(section));

  // ---- overview -----------------------------------------------------------------------------------

  function card(name, text, title) {
    return element(
      "div",
      { class: "card", title },
      element("b", { text }),
      element("span", { text: name }),
    );
  }

  // The key figures of a run.
  function figures(side, runId) {
    const found = side.figures.filter((each) => each.run_id === runId);
    const cards = found.map((each) => {
      const column = { name: each.title, unit: each.unit, type: "DOUBLE" };
      const shown = card(each.title, format.value(each.value, column), `Query ${each.query}`);
      if (each.note) shown.append(element("em", { text: each.note, title: each.note }));
      return shown;
    });
    return cards.length ? [element("div", { class: "cards figures" }, ...cards)] : [];
  }

  // What makes the run slow, most first.
  function findings(side) {
    if (!side.findings) return [];
    const rows = side.findings.rows.map((each) =>
      element(
        "li",
        { class: each.severity },
        element("b", { text: `${each.finding}: ${each.cost}` }),
        element("p", { text: each.about }),
        element("p", { class: "remedy", text: `Try: ${each.remedy}.` }),
        element("code", { text: `tw query ${each.evidence}` }),
      ),
    );
    return [
      element("h3", { text: "Findings" }),
      element("ol", { class: "findings" }, ...rows),
      element("p", { class: "remedy", text: side.findings.note }),
    ];
  }

  // One run, from its row of the query `runs`.
  function run(values, row, of) {
    const {
      columns,
      sides: [side],
    } = values;
    const hidden = new Set(["run", "run_id"]);
    const cards = columns.flatMap((column, place) => {
      const value = side.values[place][row];
      if (hidden.has(column.name) || value === null) return [];
      const name = column.name
        .replace(/_(ns|bytes)$/, "")
        .replace(/^n_/, "")
        .replaceAll("_", " ");
      const text =
        column.unit === "UTC" ? `${String(value).slice(0, 16)} UTC` : format.value(value, column);
      return [card(name, text, `${column.help}: ${format.exactly(value, column)}`)];
    });
    const name = side.values[columns.findIndex((column) => column.name === "run")][row];
    return element(
      "div",
      {},
      // A side of a comparison may be one trace of the run.
      element("h3", { text: of.name.startsWith(`${name}/`) ? of.name : name }),
      ...findings(of),
      ...figures(of, side.values[columns.findIndex((column) => column.name === "run_id")][row]),
      element("div", { class: "cards" }, ...cards),
    );
  }

  // A few runs are shown as cards, more as a table.
  function overview() {
    const runs = report.sides.flatMap((side) => {
      const values = { columns: side.runs.columns, sides: [side.runs] };
      if (side.runs.n_rows > CARDS)
        return [new tw.tables.Table(side.runs.columns, side.runs).element];
      return Array.from({ length: side.runs.n_rows }, (_, row) => run(values, row, side));
    });
    at("runs").replaceChildren(...runs);
    at("runs").classList.toggle("beside", report.sides.length > 1);
    for (const { damage } of report.sides) {
      if (damage) at("runs").append(element("p", { class: "damage", text: `Warning: ${damage}.` }));
    }
    const [side] = report.sides;
    if (side.window_ns.some((time) => time !== null)) {
      const [from, to] = side.window_ns.map((time) =>
        time === null ? "the end" : format.time(time),
      );
      at("runs").append(
        element("p", {
          text: `Time window: from ${side.window_ns[0] === null ? "the start" : from} to ${to} of each trace.`,
        }),
      );
    }
  }

  // Which side of a comparison is slower, and what the sentence does not cover.
  function verdict() {
    const given = report.verdict;
    if (!given) return;
    const [a, b] = report.sides.map((side) => side.name);
    at("verdict").append(
      element("p", { class: `verdict ${given.kind}`, text: sentence(given, a, b) }),
      ...[...given.reasons, `A is ${a}, B is ${b}.`].map((text) =>
        element("p", { class: "quiet", text }),
      ),
    );
    at("verdict").hidden = false;
  }

  function sentence(given, a, b) {
    if (given.kind === "unknown") return `No figure of ${a} and ${b} can be compared.`;
    const ratio = (value) => format.signed(value, { unit: "ratio", type: "DOUBLE" });
    const of = { unit: given.unit, type: "DOUBLE" };
    const [low, high] = given.interval || [];
    const sure = given.interval ? ` (95 % interval ${ratio(low)} to ${ratio(high)})` : "";
    const judged = given.kind === "equal" ? "not clearly faster or slower than" : `${given.kind} than`;
    return (
      `${b} is ${judged} ${a}: ${given.measure} ${ratio(given.ratio)}${sure}; mean per ` +
      `${given.basis} ${format.value(given.a, of)} in ${a}, ${format.value(given.b, of)} in ${b}.`
    );
  }

  function made() {
    const facts = Object.entries(report.made).map(([key, text]) => [
      key.replaceAll("_", " "),
      text,
    ]);
    for (const side of report.sides) {
      for (const trace of side.traces) {
        const rank = trace.rank === null ? "" : `, rank ${trace.rank}`;
        facts.push([
          `trace ${trace.trace_id}`,
          `${side.name}: ${trace.name}${rank}; sha256 ${trace.sha256.filter(Boolean).join(", ") || "unknown"}`,
        ]);
      }
    }
    at("made").append(
      element(
        "dl",
        {},
        ...facts.flatMap(([key, text]) => [element("dt", { text: key }), element("dd", { text })]),
      ),
    );
  }

  // ---- sections -------------------------------------------------------------------------------------

  function frame(section) {
    const { values, number } = section;
    const id = `section-${number}`;
    const about = element("p", { class: "quiet", text: `${values.about}. Query ${values.query}.` });
    about.title = `hash ${values.hash}; parameters ${values.sides.map((side) => side.parameters).join(" and ")}`;
    section.body = element("div", { class: `sides${values.sides.length > 1 ? " two" : ""}` });
    section.element = element(
      "section",
      { id, "aria-labelledby": `${id}-title` },
      element("h2", { id: `${id}-title`, text: values.title }),
      about,
      section.body,
    );
    section.body.style.minHeight = `${guess(values)}px`;
    return section.element;
  }

  // Sections without rows are a line each, with the reason.
  function emptySections() {
    if (!withoutRows.length) return [];
    const lines = withoutRows.map(({ values }) => {
      const reasons = new Set(values.sides.map((side) => side.reason));
      const line = element("li", {}, element("b", { text: values.title }));
      line.append(` ${[...reasons].join(" ")}`);
      line.title = `${values.about}. Query ${values.query}.`;
      return line;
    });
    return [
      element(
        "section",
        { id: "without-rows", "aria-labelledby": "without-rows-title" },
        element("h2", { id: "without-rows-title", text: "Sections without rows" }),
        element("ul", { class: "quiet" }, ...lines),
      ),
    ];
  }

  // The estimated height of a section before it is built, so that links scroll to the right place.
  const guess = (values) =>
    Math.max(...values.sides.map((side) => Math.min(500, 70 + 24 * side.n_rows)));

  const isDifference = (section) => section.number < (report.n_differences || 0);

  // A comparison begins with the verdict and the differences, then come both sides, and the timeline
  // last.
  function differencesFirst() {
    if (!report.n_differences) return;
    at("sections").after(at("timeline-section"));
    const ofBoth = sections.find((section) => !isDifference(section));
    at("sections").insertBefore(at("overview"), ofBoth ? ofBoth.element : null);
  }

  // What is in view at first is built at once, so that nothing moves.
  function buildFirst() {
    for (const section of sections) {
      if (section.element.getBoundingClientRect().top > innerHeight + 500) break;
      buildSection(section);
    }
  }

  function buildSection(section) {
    if (section.built) return;
    section.built = true;
    const { values } = section;
    section.body.style.minHeight = "";
    section.tables = values.sides.map(
      (side) => new tw.tables.Table(side.columns || values.columns, side),
    );
    const charts = values.sides.flatMap((side) => (side.chart ? [side.chart] : []));
    const most = charts.length > 1 ? Math.max(...charts.map(tw.charts.greatest)) : 0;
    for (const chart of charts) chart.most = most ? rounded(most) : undefined;
    values.sides.forEach((side, place) => section.body.append(sideOf(section, side, place)));
    const places = [...section.body.querySelectorAll(".chart")];
    charts.forEach((chart, place) => tw.charts.draw(places[place], chart));
    if (search.text) section.tables.forEach((table) => table.filter(search.text));
  }

  // Rounds up to a short number, for the end of an axis.
  function rounded(value) {
    const step = 10 ** Math.floor(Math.log10(value)) / 5;
    return Math.ceil(value / step) * step;
  }

  function sideOf(section, side, place) {
    const table = section.tables[place];
    const pair = element("div", {
      class: side.chart && !["waterfall", "region"].includes(side.chart.kind) ? "pair" : "pair alone",
    });
    const made = element("div", { class: "side" });
    if (section.values.sides.length > 1)
      made.append(element("h3", { text: report.sides[place].name }));
    if (side.chart) {
      const chart = element("div", {
        class: "chart",
        role: "img",
        "aria-label": `Chart: ${section.values.title}`,
      });
      const drawing = element("div", {}, element("div", { class: "tall" }, chart));
      if (side.chart.kind === "waterfall") drawing.prepend(contributions(side.chart));
      if (side.chart.n_left_out)
        drawing.append(
          element("p", {
            class: "quiet",
            text: `${format.whole(side.chart.n_left_out)} more rows are not drawn.`,
          }),
        );
      pair.append(drawing);
    }
    if (side.note)
      made.append(
        element("p", { class: "quiet", text: `${side.note}; export with --all-ranks to list ranks.` }),
      );
    pair.append(table.element);
    made.append(pair);
    return made;
  }

  // What a waterfall adds up to.
  function contributions(chart) {
    const [a, b] = (chart.names = report.sides.map((each) => each.name));
    const of = { unit: chart.unit, type: "DOUBLE" };
    const change = format.signed(chart.last - chart.first, of);
    const per = chart.basis === "step" ? "per step and rank" : `per ${chart.basis}`;
    return element("p", {
      class: "quiet",
      text: `What contributes to the change of ${chart.total} from ${a} to ${b}, ${change} ${per}: red more, green less. The bars add up.`,
    });
  }

  function lazily() {
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const entry of entries.filter((each) => each.isIntersecting)) {
          watcher.unobserve(entry.target);
          buildSection(sections.find((section) => section.element === entry.target));
        }
      },
      { rootMargin: "500px" },
    );
    sections.forEach((section) => watcher.observe(section.element));
  }

  function contents() {
    const link = (href, text, count) =>
      element(
        "a",
        { href },
        element("span", { text }),
        element("span", { class: "count", text: count }),
      );
    const links = sections.map((section) => {
      const rows = section.values.sides.map((side) => format.whole(side.n_rows)).join(" / ");
      section.link = link(`#section-${section.number}`, section.values.title, rows);
      return section.link;
    });
    const toTimeline = timeline.tracks ? [link("#timeline-section", "Timeline", "")] : [];
    const toOverview = link("#overview", "Overview", "");
    const nFirst = sections.filter(isDifference).length;
    at("contents").replaceChildren(
      ...(report.n_differences
        ? [link("#verdict", "Verdict", ""), ...links.slice(0, nFirst), toOverview]
        : [toOverview, ...toTimeline]),
      ...links.slice(nFirst),
      ...(report.n_differences ? toTimeline : []),
      ...(withoutRows.length
        ? [link("#without-rows", "Without rows", format.whole(withoutRows.length))]
        : []),
      link("#about", "Export manifest", ""),
    );
  }

  // Sections that are built after a jump move its heading, which is held in place until the reader
  // does something else.
  function listenToContents() {
    const HELD_MS = 5000;
    let target = null;
    const hold = () => target?.scrollIntoView({ behavior: "instant" });
    at("contents").addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      const held = (target = at(link.hash.slice(1)));
      setTimeout(() => {
        if (target === held) target = null;
      }, HELD_MS);
      requestAnimationFrame(hold);
    });
    new ResizeObserver(hold).observe(at("content"));
    for (const kind of ["wheel", "pointerdown", "keydown", "touchstart"])
      addEventListener(kind, () => (target = null), { capture: true, passive: true });
  }

  // ---- search -----------------------------------------------------------------------------------------

  const search = { text: "", timer: 0 };

  function find() {
    search.text = at("search").value.trim().toLowerCase();
    let nRows = 0;
    for (const section of sections) {
      if (search.text) buildSection(section);
      const found = section.tables.reduce((sum, table) => sum + table.filter(search.text), 0);
      const none = Boolean(search.text) && !found;
      section.element.classList.toggle("no-match", none);
      section.link.classList.toggle("empty", none);
      nRows += found;
    }
    const nSlices = tw.timeline.search(search.text);
    at("found").textContent = search.text
      ? `${format.whole(nRows)} rows, ${format.whole(nSlices)} slices`
      : "";
  }

  function listenToSearch() {
    at("search").addEventListener("input", () => {
      clearTimeout(search.timer);
      search.timer = setTimeout(find, 150);
    });
    at("search").addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.target.value = "";
        find();
        event.target.blur();
      }
      if (event.key === "Enter") {
        clearTimeout(search.timer);
        find();
        tw.timeline.match(1);
      }
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement;
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      at("search").focus();
      at("search").select();
    });
  }

  // ---- colours and print ----------------------------------------------------------------------------------

  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null; // true or false once the reader has chosen

  function colours(dark) {
    document.documentElement.classList.toggle("dark", dark);
    at("theme").textContent = dark ? "Light" : "Dark";
    tw.charts.repaint();
    tw.timeline.repaint();
  }

  function listenToColours() {
    at("theme").addEventListener("click", () => {
      chosen = !document.documentElement.classList.contains("dark");
      colours(chosen);
    });
    preferred.addEventListener("change", () => {
      if (chosen === null) colours(preferred.matches);
    });
    at("ids").addEventListener("click", () => {
      const hidden = document.body.classList.toggle("no-ids");
      at("ids").setAttribute("aria-pressed", String(!hidden));
    });
  }

  // Printing uses the light theme and requires all sections.
  function listenToPrint() {
    let wasDark = false;
    addEventListener("beforeprint", () => {
      wasDark = document.documentElement.classList.contains("dark");
      sections.forEach(buildSection);
      colours(false);
    });
    addEventListener("afterprint", () => colours(wasDark));
  }

  document.body.classList.add("no-ids");
  document.body.classList.toggle(
    "several-runs",
    report.sides.some((side) => side.runs.n_rows > 1),
  );
  document.documentElement.classList.toggle("dark", preferred.matches);
  at("theme").textContent = preferred.matches ? "Light" : "Dark";
  document.body.hidden = false; // before, nothing is in place
  verdict();
  overview();
  contents();
  at("sections").append(...sections.map(frame), ...emptySections());
  made();
  differencesFirst();
  tw.timeline.start(timeline, report.sides.length > 1);
  listenToContents();
  listenToSearch();
  listenToColours();
  listenToPrint();
  buildFirst();
  lazily();
  if (location.hash) at(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" });
})();
