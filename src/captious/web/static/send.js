"use strict";
// Sending: drafts as they grow, answers until the server has them. Nothing is called saved before
// the server said so; an answer that could not be sent stays on this device with its key.
(() => {
  const { form, focusQuestion, tellMissing } = window.captious;
  if (!form) return;
  const words = document.getElementById("words").dataset;
  const state = document.getElementById("state");
  const net = document.getElementById("net");
  const submitButton = form.querySelector("[data-submit]");
  const shelf = form.dataset.store ? `captious.outbox.${form.dataset.store}` : "";
  const csrf = () => document.querySelector("meta[name=csrf]").content;
  const FIRST_WAIT = 2000;
  const LONGEST_WAIT = 60000;
  let sending = false;
  let leaving = false;
  let wait = FIRST_WAIT;
  let timer = 0;

  function body() {
    const pairs = [...new FormData(form)].filter(([name, value]) => name !== "csrf" && typeof value === "string");
    return new URLSearchParams(pairs).toString();
  }

  function post(address, text, keepalive = false) {
    return fetch(address, {
      method: "POST", body: text, keepalive, redirect: "error", credentials: "same-origin",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json", "X-CSRF-Token": csrf(), "X-Next-Page": "1" },
    });
  }

  // The outbox: one answer a task, by its idempotency key.
  function outbox() {
    try { return JSON.parse(localStorage.getItem(shelf) ?? "[]"); } catch { return []; }
  }
  function keep(letters) {
    try {
      if (letters.length) localStorage.setItem(shelf, JSON.stringify(letters));
      else localStorage.removeItem(shelf);
    } catch { /* A browser that keeps nothing: the page itself still holds the answer. */ }
  }
  const drop = (key) => keep(outbox().filter((letter) => letter.key !== key));
  const put = (letter) => keep([...outbox().filter((other) => other.address !== letter.address), letter]);

  function tell(text) {
    net.hidden = !text;
    net.textContent = text;
  }

  function busy(on) {
    sending = on;
    submitButton.setAttribute("aria-disabled", String(on));
    if (on) state.textContent = words.saving;
  }

  async function deliver(letter, onRefused) {
    busy(true);
    clearTimeout(timer);
    let answer;
    try {
      answer = await post(letter.address, letter.body);
    } catch {
      put(letter);
      return later(letter, onRefused, words.offline);
    }
    if (answer.ok) {
      drop(letter.key);
      const { next, page } = await answer.json();
      state.textContent = words.sent;
      leaving = true;
      if (page && next === location.pathname) return show(page);
      location.assign(next);
      return undefined;
    }
    if (answer.status >= 500 || answer.status === 429) {
      put(letter);
      return later(letter, onRefused, words.server);
    }
    busy(false);
    state.textContent = "";
    if (answer.status === 401 || answer.status === 403) {
      put(letter);
      return tell(words.expired);
    }
    drop(letter.key);
    if (answer.status === 409) return ask(letter);
    return onRefused(answer);
  }

  // Something stands in the way that only a page can explain: the server shows it in full.
  function ask(letter) {
    const again = document.createElement("form");
    again.method = "post";
    again.action = letter.address;
    again.hidden = true;
    for (const [name, value] of [...new URLSearchParams(letter.body), ["csrf", csrf()]]) {
      again.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    document.body.append(again);
    leaving = true;
    again.submit();
  }

  // The next page came with the answer: it takes the place of this one, as if it had been asked for.
  function show(page) {
    window.shownAt = performance.now();
    document.open();
    // What watches the address (an extension, a test) hears of a new page as it does of others.
    window.addEventListener("load", () => history.replaceState(null, "", location.href), { once: true });
    document.write(page);
    document.close();
    window.scrollTo(0, 0);
  }

  function later(letter, onRefused, why) {
    state.textContent = "";
    tell(`${why} ${words.retry.replace("{seconds}", Math.round(wait / 1000))}`);
    timer = setTimeout(() => deliver(letter, onRefused), wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
    const now = () => { wait = FIRST_WAIT; deliver(letter, onRefused); };
    window.addEventListener("online", now, { once: true });
  }

  async function refused(answer) {
    const said = await answer.json().catch(() => ({ error: words.refused, problems: [] }));
    showProblems(said.problems?.length ? said.problems : [{ field: "", message: said.error }]);
  }

  function showProblems(problems) {
    const box = document.createElement("div");
    box.className = "error-summary";
    box.tabIndex = -1;
    box.setAttribute("role", "alert");
    const title = document.createElement("h2");
    title.textContent = problems.length === 1 ? words.problem : words.problems.replace("{count}", problems.length);
    const list = document.createElement("ul");
    form.querySelectorAll(".question.wrong").forEach((question) => question.classList.remove("wrong"));
    for (const problem of problems) {
      const line = document.createElement("li");
      const question = [...form.querySelectorAll("[data-question]")].find((one) => one.dataset.question === problem.field);
      question?.classList.add("wrong");
      if (question) {
        const link = document.createElement("a");
        link.href = `#${question.id}`;
        link.textContent = problem.message;
        link.addEventListener("click", (event) => { event.preventDefault(); focusQuestion(question); });
        line.append(link);
      } else {
        line.textContent = problem.message;
      }
      list.append(line);
    }
    box.append(title, list);
    document.getElementById("problems").replaceChildren(box);
    box.focus();
  }

  form.addEventListener("submit", (event) => {
    if (!shelf || event.submitter?.dataset.later !== undefined) return;
    event.preventDefault();
    if (sending || leaving) return;
    const [missing] = tellMissing();
    if (missing) {
      focusQuestion(missing);
      return;
    }
    clearTimeout(draftTimer);
    tell("");
    wait = FIRST_WAIT;
    const key = form.querySelector("[name=key]").value;
    const letter = { address: form.dataset.task, body: body(), key };
    // Nobody is quicker than the protocol's rules allow; the server would refuse it. It counts from
    // before this page began to arrive.
    const arrived = window.shownAt ?? performance.getEntriesByType("navigation")[0]?.responseStart ?? 0;
    const early = 1000 * Number(form.dataset.wait ?? 0) + arrived - performance.now();
    if (early <= 0) return void deliver(letter, refused);
    busy(true);
    state.textContent = words.wait;
    setTimeout(() => deliver(letter, refused), early);
  });

  // Drafts.
  let draftTimer = 0;
  let kept = form.dataset.draft ? body() : "";
  async function keepDraft(keepalive = false) {
    const text = body();
    if (!form.dataset.draft || sending || leaving || text === kept) return;
    if (!keepalive) state.textContent = words.draftSaving;
    try {
      const answer = await post(form.dataset.draft, text, keepalive);
      if (answer.ok) kept = text;
      if (!sending && !leaving) state.textContent = answer.ok ? words.draftSaved : "";
    } catch {
      if (!sending && !leaving) state.textContent = words.draftOffline;
    }
  }
  form.addEventListener("input", () => {
    clearTimeout(draftTimer);
    draftTimer = setTimeout(keepDraft, 900);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") keepDraft(true);
  });

  // What an earlier page could not send goes first.
  const waiting = shelf ? outbox()[0] : undefined;
  if (waiting) {
    tell(words.resend);
    deliver(waiting, () => { tell(""); busy(false); location.reload(); });
  }
  if (form.dataset.nextImage) {
    window.addEventListener("load", () => {
      const now = document.querySelector(".picture img");
      const ahead = new Image();
      if (now?.srcset) Object.assign(ahead, { sizes: now.sizes, srcset: now.srcset.replaceAll(now.getAttribute("src"), form.dataset.nextImage) });
      else ahead.src = form.dataset.nextImage;
    });
  }
})();
