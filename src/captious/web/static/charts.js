"use strict";
// Charts come again while the page is looked at: soon while they are being drawn, else now and then.
(() => {
  const SOON = 1500;
  const LATER = 20000;
  const LONGEST = 120000;

  for (const first of document.querySelectorAll("[data-charts]")) {
    let region = first;
    let before = "";
    let wait = region.dataset.state === "waiting" ? SOON : LATER;

    function put(text) {
      const made = new DOMParser().parseFromString(text, "text/html").querySelector("[data-charts]");
      if (!made) return;
      const open = [...region.querySelectorAll("details")].map((one) => one.open);
      made.querySelectorAll("details").forEach((one, at) => { if (open[at] !== undefined) one.open = open[at]; });
      region.replaceWith(made);
      region = made;
    }

    async function ask() {
      if (document.visibilityState === "visible") {
        try {
          const answer = await fetch(region.dataset.charts, { credentials: "same-origin" });
          if (answer.status === 401 || answer.status === 404 || answer.redirected) return;
          const text = answer.ok ? await answer.text() : before;
          if (answer.ok && text !== before && !region.contains(document.activeElement)) { put(text); before = text; }
          wait = answer.ok ? (region.dataset.state === "waiting" ? Math.min(wait * 1.3, LATER) : LATER) : Math.min(wait * 2, LONGEST);
        } catch {
          wait = Math.min(wait * 2, LONGEST);
        }
      }
      setTimeout(ask, wait);
    }
    setTimeout(ask, wait);
  }
})();
