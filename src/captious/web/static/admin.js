"use strict";
// Admin pages live: copying links, progress as it grows, figures that are being worked out.
(() => {
  const EVERY = 5000;
  // Figures that are being worked out are asked for sooner, for a while: most take a second or two.
  const SOON = 300;
  const SOON_FOR = 15000;
  const LONGEST = 60000;
  const soon = (since) => (Date.now() - since < SOON_FOR ? SOON : EVERY);
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

  // Ask again and again while the page is looked at, more rarely when it fails.
  function follow(address, show, every) {
    let wait = every();
    async function ask() {
      if (document.visibilityState === "visible") {
        try {
          const answer = await fetch(address, { credentials: "same-origin" });
          if (answer.status === 401 || answer.status === 404 || answer.redirected) return;
          if (answer.ok && await show(answer) === false) return;
          wait = answer.ok ? every() : Math.min(wait * 2, LONGEST);
        } catch {
          wait = Math.min(wait * 2, LONGEST);
        }
      }
      setTimeout(ask, wait);
    }
    setTimeout(ask, wait);
  }

  // The part of the overview that changes, as the server renders it; a link in it keeps the focus.
  const live = document.querySelector("[data-live]");
  if (live) {
    const since = Date.now();
    let before = "";
    follow(live.dataset.live, async (answer) => {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body.innerHTML;
      if (fresh === before) return true;
      before = fresh;
      const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      live.innerHTML = fresh;
      if (focused) live.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
      return true;
    }, () => (live.querySelector('[data-pending="yes"]') ? soon(since) : EVERY));
  }

  // Figures that are being worked out: the page comes again once they are there.
  const computing = document.querySelector("[data-computing]");
  if (computing) {
    const before = Number(computing.dataset.computedAt);
    const since = Date.now();
    follow(computing.dataset.computing, async (answer) => {
      const page = await answer.json();
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
