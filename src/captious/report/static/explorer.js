// The explorer of examples: order, filter, search, pages, links and keys.
(function explorer() {
  const data = JSON.parse(document.getElementById("explorer-data").textContent);
  const list = document.getElementById("cards");
  const element = (id) => document.getElementById(id);
  const marks = "●■▲◆✚▼▶◀●■";
  const judged = data.aspects.length > 0;

  // Photographs and panels that are in the page already are not in the data a second time.
  for (const card of list.children) {
    const image = data.images.find((one) => one.id === card.dataset.image);
    const picture = card.querySelector("img");
    if (picture && image) image.src = picture.getAttribute("src");
    card.querySelectorAll(".candidate").forEach((candidate, k) => {
      for (const panel of candidate.querySelectorAll(".panel")) {
        (image.rows[k].p ??= [])[panel.dataset.panel] = panel.lastElementChild;
      }
    });
  }
  data.images.forEach((image, place) => {
    image.place = place;
    const words = [image.id, ...image.refs, ...image.rows.map((row) => row.c), ...(image.objects ?? [])];
    image.words = words.join("\n").toLocaleLowerCase();
  });

  const start = { image: "", q: "", system: "", metric: data.metric, aspect: 0, sort: data.sort, page: 1 };
  const state = { ...start };
  let found = [];

  const orders = judged
    ? [["disagreement", "largest gap first"], ["generous", "metric much higher first"], ["harsh", "metric much lower first"],
       ["low", "lowest metric score first"], ["high", "highest metric score first"], ["corpus", "corpus order"]]
    : [["low", "lowest metric score first"], ["high", "highest metric score first"], ["corpus", "corpus order"]];

  // Percentile of each value, ties sharing the middle: (n - rank + 0.5) / n * 100, rank 1 the best.
  function percentiles(values, higher) {
    const own = values.map((value) => (value === null ? null : higher ? value : -value));
    const sorted = own.filter((value) => value !== null).sort((a, b) => a - b);
    const n = sorted.length;
    const lower = (value) => { let a = 0, b = n; while (a < b) { const m = (a + b) >> 1; if (sorted[m] < value) a = m + 1; else b = m; } return a; };
    const upper = (value) => { let a = 0, b = n; while (a < b) { const m = (a + b) >> 1; if (sorted[m] <= value) a = m + 1; else b = m; } return a; };
    return own.map((value) => {
      if (value === null) return null;
      const above = n - upper(value);
      const tied = upper(value) - lower(value);
      return ((n - (above + (tied + 1) / 2) + 0.5) / n) * 100;
    });
  }

  const rows = data.images.flatMap((image) => image.rows);
  const measured = new Map();
  function measure() {
    const key = `${state.metric}/${state.aspect}`;
    if (!measured.has(key)) {
      const scores = rows.map((row) => row.m[state.metric]);
      const values = rows.map((row) => (judged ? row.h[state.aspect] : null));
      const both = rows.map((_, i) => scores[i] !== null && (!judged || values[i] !== null));
      const a = percentiles(scores.map((v, i) => (both[i] ? v : null)), data.metrics[state.metric].higher);
      const b = judged ? percentiles(values.map((v, i) => (both[i] ? v : null)), true) : a;
      measured.set(key, { a, b });
    }
    const { a, b } = measured.get(key);
    rows.forEach((row, i) => { row.a = a[i]; row.b = judged ? b[i] : null; });
  }

  function keyOf(image) {
    const sign = data.metrics[state.metric].higher ? 1 : -1;
    const chosen = image.rows.filter((row) => state.system === "" || data.systems[row.s] === state.system);
    const gaps = chosen.filter((row) => row.a !== null && row.b !== null).map((row) => row.a - row.b);
    const scores = chosen.map((row) => row.m[state.metric]).filter((v) => v !== null).map((v) => sign * v);
    const least = Math.min(Infinity, ...scores), most = Math.max(-Infinity, ...scores);
    return { disagreement: -Math.max(-Infinity, ...gaps.map(Math.abs)), generous: -Math.max(-Infinity, ...gaps),
             harsh: Math.min(Infinity, ...gaps), low: least, high: -most, corpus: 0 }[state.sort];
  }

  function choose() {
    measure();
    const words = state.q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    found = data.images.filter((image) =>
      words.every((word) => image.words.includes(word)) &&
      (state.system === "" || image.rows.some((row) => data.systems[row.s] === state.system)));
    for (const image of found) image.key = keyOf(image);
    found.sort((x, y) => (x.key === y.key ? x.place - y.place : x.key < y.key ? -1 : 1));
    const pages = Math.max(1, Math.ceil(found.length / data.pageLength));
    state.page = Math.min(Math.max(1, state.page), pages);
    return pages;
  }

  function render() {
    const pages = choose();
    const from = (state.page - 1) * data.pageLength;
    list.start = from + 1;
    list.replaceChildren(...found.slice(from, from + data.pageLength).map(card));
    const captions = found.reduce((sum, image) => sum + image.rows.length, 0);
    element("count").textContent = found.length
      ? `${found.length.toLocaleString("en")} image${found.length === 1 ? "" : "s"}, ${captions.toLocaleString("en")} captions`
      : "Nothing found. Search for other words or choose all systems.";
    element("page").textContent = `Page ${state.page} of ${pages}`;
    element("previous").disabled = state.page <= 1;
    element("next").disabled = state.page >= pages;
    element("pager").hidden = pages < 2;
    for (const name of ["q", "system", "metric", "aspect", "sort"]) {
      const field = element(name === "q" ? "search" : name);
      if (field && field.value !== String(state[name])) field.value = state[name];
    }
  }

  // Drawing: text goes in as text nodes only, so that no caption can become markup.
  function node(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value !== undefined && value !== false) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  }

  function fixed(value, digits) {
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }
  const scoreText = (metric, value) =>
    value === null ? "–" : metric.percent ? fixed(value * 100, 1) : fixed(value, 3);

  function highlighted(text) {
    const words = state.q.split(/\s+/).filter(Boolean).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    if (!words.length) return [text];
    return text.split(new RegExp(`(${words.join("|")})`, "giu")).map((part, i) => (i % 2 ? node("mark", {}, part) : part));
  }

  function card(image) {
    const heading = node("h3", {}, `Image ${image.id} `, node("a", { class: "permalink", href: `#image=${encodeURIComponent(image.id)}` },
      "link", node("span", { class: "hidden" }, ` to image ${image.id}`)));
    const gaps = image.rows.map((row) => (row.a === null || row.b === null ? -1 : Math.abs(row.a - row.b)));
    const shown = image.rows.map((row, k) => [row, gaps[k]]).filter(([row]) => state.system === "" || data.systems[row.s] === state.system);
    const widest = Math.max(-1, ...shown.map(([, gap]) => gap));
    let marked = false;
    const candidates = shown.map(([row, gap]) => {
      const disputed = !marked && gap >= 0 && gap === widest;
      marked ||= disputed;
      return candidate(row, disputed);
    });
    return node("li", { class: "card", "data-image": image.id, tabindex: "-1", "aria-label": `Image ${image.id}` },
      node("article", {}, heading, node("div", { class: "card-body" }, seen(image), node("ul", { class: "candidates" }, ...candidates))));
  }

  function seen(image) {
    const parts = [];
    if (image.src) {
      parts.push(node("img", { src: image.src, alt: image.refs[0] ?? `Photograph ${image.id}`, width: image.w, height: image.h,
        loading: "lazy", decoding: "async" }));
    }
    if (image.refs.length) {
      const open = state.q !== "" ? "" : undefined;
      parts.push(node("details", { class: "references", open },
        node("summary", {}, `${image.refs.length} reference${image.refs.length === 1 ? "" : "s"}`),
        node("ul", {}, ...image.refs.map((text) => node("li", {}, ...highlighted(text))))));
    }
    if (image.objects) parts.push(node("p", { class: "objects" }, node("span", {}, "Objects:"), ` ${image.objects.join(", ")}`));
    return node("div", { class: "seen" }, ...parts);
  }

  function candidate(row, disputed) {
    const who = node("p", { class: "who" }, node("span", { class: `mark c${row.s % 8}`, "aria-hidden": "true" }, marks[row.s % marks.length]), " ",
      node("span", { class: "system" }, data.systems[row.s]));
    if (disputed) who.append(" ", node("span", { class: "badge" }, "largest gap"));
    const panels = Array.from(row.p ?? [], (fragment, k) => {
      if (!fragment) return null;
      if (typeof fragment === "string") {
        row.p[k] = node("div");
        row.p[k].innerHTML = fragment; // made safe when the report was written
      }
      return node("details", { class: "panel", "data-panel": k, open: data.panels[k] === data.opened && "" }, node("summary", {}, data.panels[k]), row.p[k]);
    });
    return node("li", { class: disputed ? "candidate disputed" : "candidate" }, who, node("p", { class: "caption" }, ...highlighted(row.c)),
      versus(row), node("details", {}, node("summary", {}, judged ? "All scores and judgments" : "All scores"),
      node("dl", {}, ...entries(row).map(([name, text]) => node("div", {}, node("dt", {}, name), node("dd", {}, text))))), ...panels);
  }

  function versus(row) {
    const metric = data.metrics[state.metric];
    if (row.a === null || row.b === null) return node("p", { class: "score" }, `${metric.label} ${scoreText(metric, row.m[state.metric])}`);
    const aspect = data.aspects[state.aspect];
    const size = fixed(Math.abs(row.a - row.b), 0);
    const verdict = size === "0" ? `${metric.label} and the judgments rank it equally`
      : `${metric.label} ranks it ${size} point${size === "1" ? "" : "s"} ${row.a > row.b ? "higher" : "lower"}`;
    const track = node("span", { class: "track", "aria-hidden": "true" },
      node("i", { class: "between", style: `left:${Math.min(row.a, row.b)}%;width:${Math.abs(row.a - row.b)}%` }),
      node("i", { class: "by-judgments", style: `left:${row.b}%` }), node("i", { class: "by-metric", style: `left:${row.a}%` }));
    return node("div", { class: "versus" }, track, node("p", {},
      node("span", {}, `${metric.label} ${scoreText(metric, row.m[state.metric])}, percentile ${fixed(row.a, 0)}`), " ",
      node("span", {}, `judged ${aspect.label} ${fixed(row.h[state.aspect], 2)}, percentile ${fixed(row.b, 0)}`), " ",
      node("span", { class: "verdict" }, verdict)));
  }

  function entries(row) {
    const scores = data.metrics.map((metric, k) => [metric.label, scoreText(metric, row.m[k])]);
    const judgments = data.aspects.flatMap((aspect, k) => {
      if (row.h[k] === null) return [];
      const byRater = (row.r?.[k] ?? []).flatMap((value, r) => (value === null ? [] : [`${data.raters[r]} ${value}`]));
      return [[`judged ${aspect.label}`, fixed(row.h[k], 2) + (byRater.length ? ` (${byRater.join(", ")})` : "")]];
    });
    return [...scores, ...judgments];
  }

  // The address: #image=12&metric=cider&q=dog … holds what differs from the first view.
  function address() {
    const parts = new URLSearchParams();
    if (state.image) parts.set("image", state.image);
    if (state.q) parts.set("q", state.q);
    if (state.system) parts.set("system", state.system);
    if (state.metric !== start.metric) parts.set("metric", data.metrics[state.metric].name);
    if (state.aspect !== start.aspect) parts.set("aspect", data.aspects[state.aspect].name);
    if (state.sort !== start.sort) parts.set("sort", state.sort);
    if (state.page !== 1) parts.set("page", state.page);
    const text = parts.toString();
    try {
      history.replaceState(null, "", text ? `#${text}` : "#examples");
    } catch { /* some browsers allow few changes a minute; the next one catches up */ }
  }

  function read() {
    const text = location.hash.slice(1);
    if (!text.includes("=")) return false;
    const parts = new URLSearchParams(text);
    const place = (entries, name, otherwise) => {
      const at = entries.findIndex((entry) => entry.name === name);
      return at < 0 ? otherwise : at;
    };
    Object.assign(state, start, {
      image: parts.get("image") ?? "",
      q: parts.get("q") ?? "",
      system: data.systems.includes(parts.get("system")) ? parts.get("system") : "",
      metric: place(data.metrics, parts.get("metric"), start.metric),
      aspect: place(data.aspects, parts.get("aspect"), start.aspect),
      sort: orders.some(([name]) => name === parts.get("sort")) ? parts.get("sort") : start.sort,
      page: Number(parts.get("page")) || 1,
    });
    return true;
  }

  function open() {
    if (!read()) return;
    choose();
    if (state.image) {
      const place = found.findIndex((image) => image.id === state.image);
      if (place >= 0) state.page = Math.floor(place / data.pageLength) + 1;
    }
    render();
    const at = [...list.children].find((one) => one.dataset.image === state.image);
    if (at) focusOn(at); else element("examples").scrollIntoView();
  }

  function focusOn(one) {
    one.focus({ preventScroll: true });
    one.scrollIntoView({ block: "start", behavior: "instant" });
  }

  function turn(by, toLast = false) {
    const pages = Math.max(1, Math.ceil(found.length / data.pageLength));
    if (state.page + by < 1 || state.page + by > pages) return;
    state.page += by;
    state.image = "";
    render();
    address();
    const one = toLast ? list.lastElementChild : list.firstElementChild;
    if (one) focusOn(one);
  }

  function step(by) {
    const cards = [...list.children];
    const at = cards.indexOf(document.activeElement?.closest(".card"));
    const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : at + by;
    if (next < 0) turn(-1, true);
    else if (next >= cards.length) turn(1);
    else focusOn(cards[next]);
  }

  function change(values) {
    Object.assign(state, values, { page: 1, image: "" });
    render();
    address();
  }

  const options = (id, entries) => element(id)?.append(...entries.map(([value, text]) => node("option", { value }, text)));
  options("system", [["", "all systems"], ...data.systems.map((name) => [name, name])]);
  options("metric", data.metrics.map((metric, k) => [k, metric.label]));
  options("aspect", data.aspects.map((aspect, k) => [k, aspect.label]));
  options("sort", orders);
  element("search").addEventListener("input", (event) => change({ q: event.target.value.trim() }));
  element("system").addEventListener("change", (event) => change({ system: event.target.value }));
  element("metric").addEventListener("change", (event) => change({ metric: Number(event.target.value) }));
  element("aspect")?.addEventListener("change", (event) => change({ aspect: Number(event.target.value) }));
  element("sort").addEventListener("change", (event) => change({ sort: event.target.value }));
  element("controls").addEventListener("submit", (event) => event.preventDefault());
  element("previous").addEventListener("click", () => turn(-1));
  element("next").addEventListener("click", () => turn(1));
  addEventListener("hashchange", open);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.matches?.("input, select, textarea")) {
      if (event.key === "Escape" && target.id === "search") { target.value = ""; change({ q: "" }); }
      return;
    }
    const inCard = Boolean(target.closest?.(".card"));
    const act = { j: () => step(1), k: () => step(-1), "/": () => element("search").focus() }[event.key]
      ?? (inCard ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => turn(1), ArrowLeft: () => turn(-1) }[event.key] : undefined);
    if (act) { event.preventDefault(); act(); }
  });

  render();
  open();
})();
