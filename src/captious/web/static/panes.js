"use strict";
// The panes of a rater's page: how high what sticks is, long captions that scroll by sentences, one of a pair at a time.
window.captious = window.captious || {};
(() => {
  const bench = document.querySelector(".workbench");
  if (!bench) return;
  const known = document.documentElement.style;
  const sight = bench.querySelector(".sight");
  const captions = bench.querySelector("div.captions");
  const bar = bench.querySelector(".actions.sticky");
  const texts = [...bench.querySelectorAll(".caption-text:not(.markable)")];
  const together = bench.matches(".single") && captions;
  const panes = together ? [captions] : texts;
  const sides = bench.querySelector("[data-sides]");

  const sticks = (one) => one && getComputedStyle(one).position === "sticky";
  const height = (one) => Math.ceil(one.getBoundingClientRect().height);
  // A pair on a phone has all at once on the screen.
  const oneScreen = () => sides && matchMedia("(max-width: 40rem) and (min-height: 34rem)").matches && bench.querySelector(".answer-bar");
  const overflows = (one) => one.scrollHeight > one.clientHeight + 1;

  // Focus and links must not land under what sticks to an edge.
  function measure() {
    const stacked = sticks(sight) && getComputedStyle(bench).gridTemplateColumns.split(" ").length === 1;
    const above = captions ? [captions] : [...bench.querySelectorAll(".caption-card > .caption-text")];
    const tallest = Math.max(0, ...above.filter(sticks).map(height));
    known.setProperty("--sight", `${stacked ? height(sight) : 0}px`);
    known.setProperty("--over", `${(stacked ? height(sight) : 0) + tallest}px`);
    known.setProperty("--under", `${sticks(bar) ? height(bar) : 0}px`);
    known.setProperty("--above", `${Math.ceil(bench.getBoundingClientRect().top + window.scrollY)}px`);
  }

  // Which captions are longer than their pane; two that are do not stand beside each other on a phone.
  function fit() {
    for (const text of texts) text.classList.remove("long");
    show(null);
    measure();
    const crowded = oneScreen() && bench.offsetHeight > innerHeight - parseInt(known.getPropertyValue("--above"), 10) + 1;
    const long = panes.filter((pane) => crowded || overflows(pane));
    for (const text of texts) text.classList.toggle("long", long.includes(text) || (Boolean(captions) && long.length > 0));
    if (crowded) show(chosen ?? "left");
    for (const pane of panes) {
      const reads = long.includes(pane);
      // A pane that scrolls is reached by keyboard.
      if (reads) pane.tabIndex = 0; else pane.removeAttribute("tabindex");
      if (reads) pane.setAttribute("role", "region"); else pane.removeAttribute("role");
      if (reads) pane.setAttribute("aria-label", nameOf(pane)); else pane.removeAttribute("aria-label");
    }
    measure();
  }
  const nameOf = (pane) => (pane.closest(".caption-card") ?? pane).querySelector("legend, .side").textContent.trim();

  // One of a pair at a time.
  let chosen = null;
  function show(side) {
    if (!sides) return;
    sides.hidden = side === null;
    for (const button of sides.querySelectorAll("button")) {
      const on = button.dataset.side === side;
      button.setAttribute("aria-pressed", String(on));
      bench.querySelector(`.side-${button.dataset.side}`).hidden = side !== null && !on;
    }
  }
  sides?.addEventListener("click", (event) => {
    chosen = event.target.closest("button")?.dataset.side ?? chosen;
    show(chosen);
  });

  // Sentence by sentence through the captions of the card that is worked on.
  function sentences(text) {
    if (!text.querySelector(".sentence")) {
      const whole = text.textContent;
      const cut = Intl.Segmenter
        ? [...new Intl.Segmenter(text.lang || undefined, { granularity: "sentence" }).segment(whole)].map((one) => one.segment)
        : [whole];
      text.replaceChildren(...cut.map((one) => Object.assign(document.createElement("span"), { className: "sentence", textContent: one })));
    }
    return [...text.children];
  }
  function read(step) {
    const card = document.activeElement?.closest(".caption-card");
    const own = texts.filter((text) => text.classList.contains("long") && (captions || !card || card.contains(text)));
    const all = own.slice(0, captions ? own.length : 1).flatMap(sentences);
    if (!all.length) return;
    const at = all.findIndex((one) => one.classList.contains("reading"));
    const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
    for (const one of all) one.classList.toggle("reading", one === next);
    if (sides && !sides.hidden) show(chosen = next.closest(".side-left") ? "left" : "right");
    next.scrollIntoView({ block: "nearest" });
  }

  window.captious.read = read;
  for (const one of [sight, captions, bar, ...texts].filter(Boolean)) new ResizeObserver(measure).observe(one);
  window.addEventListener("resize", fit);
  fit();
})();
