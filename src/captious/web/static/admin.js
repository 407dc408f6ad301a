"use strict";
// Admin pages live: copying links, progress as it grows, figures that are being worked out.
(() => {
  const EVERY = 5000;
  // Figures that are being worked out are asked for sooner, for a while: most take a second or two.
  const SOON = 300;
  const SOON_FOR = 15000;
  const LONGEST = 60000;
  const soon = (since) => (Date.now() - since < SOON_FOR ? SOON : EVERY);
  const lang = document.documentElement.lang;
  const number = (value, digits = 0) => (value === null || value === undefined ? "–"
    : value.toLocaleString(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }));

  function span(seconds) {
    if (seconds === null) return "–";
    const whole = Math.round(seconds);
    const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    const at = units.findIndex(([size]) => whole >= size);
    if (at < 0) return "0 s";
    const [size, name] = units[at];
    const next = units[at + 1];
    const rest = next ? Math.floor((whole % size) / next[0]) : 0;
    return `${Math.floor(whole / size)} ${name}${rest ? ` ${rest} ${next[1]}` : ""}`;
  }

  function moment(seconds) {
    if (seconds === null) return "–";
    return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  }

  // Copy buttons.
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const field = document.getElementById(button.dataset.copy);
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
      } catch {
        document.execCommand("copy"); // Without https there is no clipboard to write to.
      }
      document.getElementById("copy-status").textContent = button.dataset.copied;
      const said = button.firstChild.textContent;
      button.firstChild.textContent = button.dataset.copied;
      setTimeout(() => { button.firstChild.textContent = said; }, 2000);
    });
  }

  // Ask the JSON twin again and again while the page is looked at, more rarely when it fails.
  function follow(address, show, every = () => EVERY) {
    let wait = every();
    async function ask() {
      if (document.visibilityState === "visible") {
        try {
          const answer = await fetch(address, { headers: { Accept: "application/json" }, credentials: "same-origin" });
          if (answer.status === 401 || answer.status === 404) return;
          wait = answer.ok ? every() : Math.min(wait * 2, LONGEST);
          if (answer.ok && show(await answer.json()) === false) return;
        } catch {
          wait = Math.min(wait * 2, LONGEST);
        }
      }
      setTimeout(ask, wait);
    }
    setTimeout(ask, wait);
  }

  function set(root, field, text) {
    const place = root.querySelector(`[data-field="${field}"]`);
    if (place && place.textContent !== text) place.textContent = text;
  }

  function bar(root, done, wanted) {
    const place = root.querySelector("progress");
    if (place) { place.max = wanted || 1; place.value = done; }
  }

  // The verdict comes again, as the server words it, when it says something else.
  async function judge(verdict) {
    const shown = document.getElementById("verdict");
    const said = verdict.lines.map((line) => line.text).join("\n");
    if (!shown || shown.contains(document.activeElement)) return;
    if (said === [...shown.querySelectorAll("[data-line]")].map((line) => line.textContent).join("\n")) return;
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("verdict");
    if (fresh) shown.replaceWith(fresh);
  }

  const live = document.querySelector("[data-live]");
  if (live) {
    const since = Date.now();
    let pending = live.dataset.pending === "yes";
    follow(live.dataset.live, (page) => {
      pending = page.verdict.pending;
      set(live, "done", number(page.done));
      set(live, "wanted", number(page.wanted));
      set(live, "rate", number(page.rate_per_hour, 1));
      set(live, "left", span(page.seconds_left));
      set(live, "last", moment(page.last_activity));
      set(live, "raters", number(page.raters_active));
      set(live, "flags", number(page.open_flags));
      set(live, "as_of", moment(page.as_of));
      bar(live, page.done, page.wanted);
      judge(page.verdict);
      for (const stage of page.stages) {
        const row = [...live.querySelectorAll("[data-stage]")].find((one) => one.dataset.stage === stage.stage);
        if (!row) { location.reload(); return false; }
        set(row, "items", number(stage.items));
        set(row, "finished", number(stage.finished));
        set(row, "text", live.dataset.doneOf.replace("{done}", number(stage.done)).replace("{wanted}", number(stage.wanted)));
        bar(row, stage.done, stage.wanted);
      }
      return true;
    }, () => (pending ? soon(since) : EVERY));
  }

  // Figures that are being worked out: the page comes again once they are there.
  const computing = document.querySelector("[data-computing]");
  if (computing) {
    const before = Number(computing.dataset.computedAt);
    const since = Date.now();
    follow(computing.dataset.computing, (page) => {
      if (page.computed_at === null || page.computed_at <= before) return true;
      const field = document.activeElement;
      if (!field || !field.matches("input, textarea, select, button")) location.reload();
      return false;
    }, () => soon(since));
  }

  // The tab of this page is in sight, however narrow the screen.
  for (const row of document.querySelectorAll(".tabs, .main-nav")) {
    const here = row.querySelector("[aria-current]");
    if (here) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
  }

  document.querySelector(".error-summary")?.focus();
})();
