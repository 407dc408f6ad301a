"use strict";
// The form as it is filled in: which questions count, which are answered, what was changed.
window.captious = window.captious || {};
(() => {
  const form = document.querySelector("[data-answers]");
  if (!form) return;
  const all = form.querySelector("[data-confirm-all]");
  const questions = [...form.querySelectorAll("[data-question]")];
  const byName = new Map(questions.map((question) => [question.dataset.question, question]));

  const radios = (question) => [...question.querySelectorAll("input[type=radio]")];
  const boxes = (question) => [...question.querySelectorAll("input[type=checkbox]:not([name^='.'])")];
  const writable = (question) => question.querySelector("textarea, input[type=number]:not([data-amount-of])");
  const places = (question) => [...question.querySelectorAll("select[data-own-place]")];
  const amountOf = (box) => document.getElementById(`${box.id}-amount`);

  function values(question) {
    const marks = question.querySelector("[data-marks]");
    if (marks) return [marks.value];
    if (boxes(question).length) return boxes(question).filter((box) => box.checked).map((box) => box.value);
    const placed = places(question).filter((list) => list.value);
    if (placed.length) return placed.map((list) => `${list.dataset.of}=${list.value}`);
    const chosen = radios(question).find((radio) => radio.checked);
    if (chosen) return [chosen.value];
    const text = writable(question)?.value.trim();
    return text ? [text] : [];
  }

  function counts(question) {
    const asked = byName.get(question.dataset.when);
    if (!asked) return true;
    if (!counts(asked)) return false;
    const given = values(asked);
    if (question.dataset.below !== undefined) {
      return given.length > 0 && Number(given[0]) < Number(question.dataset.below);
    }
    return given.includes(question.dataset.has);
  }

  function answered(question) {
    const placed = places(question).filter((list) => list.value).length;
    const missing = boxes(question).some((box) => box.checked && amountOf(box) && !amountOf(box).value)
      || (placed > 0 && placed < places(question).length);
    return !missing && (values(question).length > 0 || question.dataset.required === undefined);
  }

  const shown = () => questions.filter((question) => !question.hidden);
  const firstMissing = () => shown().find((question) => !answered(question));
  // Marks may stay away, but nobody is led past a caption that was not looked at.
  const firstOpen = () => shown().find((question) => !answered(question) || question.querySelector("[data-untried]"));

  function current(question) {
    if (!boxes(question).length) return values(question).map(plainNumber).sort().join(" ");
    return boxes(question).filter((box) => box.checked).map((box) => {
      const amount = amountOf(box)?.value ?? fixedAmount(box);
      return `${box.value}=${plainNumber(amount || "0")}`;
    }).sort().join(" ");
  }

  const plainNumber = (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? String(Number(text)) : text);

  function fixedAmount(box) {
    const shownAmount = box.closest(".choice").querySelector(".amount");
    return shownAmount ? shownAmount.textContent.replace("−", "") : "0";
  }

  function refresh() {
    for (const question of questions) {
      question.hidden = !counts(question);
      const mark = question.querySelector("[data-changed]");
      if (mark) mark.hidden = current(question) === question.dataset.prior;
      const fold = question.querySelector("[data-fold]");
      if (fold) {
        const marked = boxes(question).filter((box) => box.checked).length;
        fold.classList.toggle("some", marked > 0);
        fold.querySelector("[data-count]").textContent =
          marked ? fold.dataset.some.replace("{count}", marked) : fold.dataset.none;
      }
    }
    form.classList.toggle("complete", !firstMissing());
    if (all) all.hidden = !firstUnconfirmed();
    if (telling || toldOpen) tellMissing();
  }

  // What is missing: counted beside the button, linked, and marked with a sign.
  const words = document.getElementById("words")?.dataset ?? {};
  const state = document.getElementById("state");
  let telling = false;
  let toldOpen = false;

  function nameOf(question) {
    const of = (one, within) => one?.querySelector(within)?.firstChild?.textContent.trim() ?? "";
    const caption = of(question.closest("fieldset.caption-card"), "legend");
    return [caption, of(question, "legend, .legend")].filter(Boolean).join(": ");
  }

  function tellMissing() {
    const missing = shown().filter((question) => !answered(question));
    for (const question of questions) question.classList.toggle("missing", missing.includes(question));
    if (!state) return missing; // a lead's page has no place for it
    telling = missing.length > 0;
    const open = telling ? [] : shown().filter(unconfirmed);
    toldOpen = open.length > 0;
    if (!telling && !toldOpen) { state.textContent = ""; return missing; }
    const said = toldOpen ? words.unconfirmed.replace("{count}", open.length)
      : missing.length === 1 ? words.missingOne : words.missing.replace("{count}", missing.length);
    const [first] = telling ? missing : open;
    const link = Object.assign(document.createElement("a"), { href: `#${first.id}`, textContent: nameOf(first) });
    link.addEventListener("click", (event) => { event.preventDefault(); focusQuestion(first); });
    state.replaceChildren(said, " ", link);
    return telling ? missing : open;
  }

  // What an earlier rater chose counts once this one has said so: by a key or a click, or of all together.
  const unconfirmed = (question) => question?.querySelector("[data-confirm]");
  const firstUnconfirmed = () => shown().find(unconfirmed);
  function confirm(question) {
    if (!unconfirmed(question)) return;
    unconfirmed(question).remove();
    form.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function confirmAll() {
    // The names stay in the form, so that the data tell them from scores that were looked at one by one.
    for (const note of form.querySelectorAll("[data-confirm]")) note.replaceWith(note.querySelector("input"));
    refresh();
    form.querySelector("[data-submit]").focus({ preventScroll: true });
  }
  all?.addEventListener("click", confirmAll);

  // A preset that the rater has touched, be it to confirm it, is an answer like any other.
  const preset = (question) => question?.querySelector("[data-preset]");
  function touch(event) {
    if (!event.target.matches?.("input[type=radio]")) return;
    preset(event.target.closest("[data-question]"))?.remove();
    confirm(event.target.closest("[data-question]"));
  }
  form.addEventListener("click", touch);
  form.addEventListener("change", touch);

  // Nothing wrong: what is still open of some questions is answered so.
  function allFine(within = form) {
    const open = [...within.querySelectorAll("[data-question]")].filter((one) => !one.hidden && !answered(one));
    for (const question of open) {
      const fine = question.querySelector("input[data-fine]");
      if (fine) fine.checked = true;
    }
    form.dispatchEvent(new Event("input", { bubbles: true }));
    return open.length > 0;
  }
  for (const button of form.querySelectorAll("[data-all-fine]")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      allFine(button.closest(".caption-card"));
    });
  }

  form.addEventListener("input", (event) => {
    const box = document.getElementById(event.target.dataset?.amountOf ?? "");
    if (box) box.checked = event.target.value !== "";
    refresh();
  });
  // A place belongs to one: who had it takes the place that is given up, and the last one open its own.
  const before = new Map(places(form).map((list) => [list, list.value]));
  function place(list, value) {
    const all = places(list.closest("[data-question]"));
    const other = value && all.find((one) => one !== list && one.value === value);
    if (other) other.value = before.get(list);
    list.value = value;
    const open = all.filter((one) => !one.value);
    if (value && open.length === 1) open[0].value = freePlace(all);
    for (const one of all) before.set(one, one.value);
  }
  const freePlace = (all) => all.map((_, at) => String(at + 1)).find((at) => all.every((one) => one.value !== at)) ?? "";

  form.addEventListener("change", (event) => {
    if (event.target.matches("select[data-own-place]")) place(event.target, event.target.value);
    const amount = event.target.type === "checkbox" ? amountOf(event.target) : null;
    if (amount && event.target.checked) amount.focus();
    if (amount && !event.target.checked) amount.value = "";
    refresh();
  });

  function focusQuestion(question) {
    if (!question) return;
    if (!question.dispatchEvent(new Event("captious:focus", { cancelable: true }))) return;
    const fold = question.querySelector("[data-fold]");
    const target = (fold && !fold.open) ? fold.querySelector("summary")
      : radios(question).find((radio) => radio.checked) ?? radios(question)[0] ?? boxes(question)[0] ?? places(question)[0] ?? writable(question);
    target?.focus({ preventScroll: true });
    // What is taller than the room between the caption and the bar ends above the bar.
    const { scrollPaddingTop: above, scrollPaddingBottom: below } = getComputedStyle(document.documentElement);
    const room = innerHeight - parseFloat(above) - parseFloat(below);
    question.scrollIntoView({ block: question.offsetHeight > room ? "end" : "nearest" });
    target?.scrollIntoView({ block: "nearest" });
  }

  Object.assign(window.captious, { form, shown, values, radios, boxes, places, amountOf, answered, firstMissing, firstUnconfirmed, confirm, confirmAll, unconfirmed, firstOpen, focusQuestion, refresh, preset, allFine, tellMissing });
  refresh();
})();
