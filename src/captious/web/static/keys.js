"use strict";
// Everything by keyboard. Single keys can be switched off, and never fire while text is typed.
(() => {
  const { form, shown, radios, boxes, places, firstMissing, firstOpen, firstUnconfirmed, confirm, confirmAll, unconfirmed, focusQuestion, preset, allFine, tellMissing } = window.captious;
  if (!form) return;
  const switchBox = document.getElementById("keys-on");
  const STORE = "captious.keys";

  function enabled() { return switchBox.checked; }
  try { switchBox.checked = localStorage.getItem(STORE) !== "off"; } catch { /* kept for this page only */ }
  switchBox.addEventListener("change", () => {
    try { localStorage.setItem(STORE, enabled() ? "on" : "off"); } catch { /* kept for this page only */ }
  });

  function openDialog(id) {
    const dialog = document.getElementById(id);
    if (dialog && !dialog.open) dialog.showModal();
  }
  for (const opener of document.querySelectorAll("[data-open]")) {
    opener.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openDialog(opener.dataset.open);
    });
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelectorAll("[data-close]").forEach((button) => button.addEventListener("click", () => dialog.close()));
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }

  // Escape leaves a text box, not the place: arrows go on from there.
  let left = null;
  document.addEventListener("focusin", () => { left = null; });
  function leaveText(box) {
    box.blur();
    left = box.closest("[data-question]");
  }

  const here = () => document.activeElement?.closest("[data-question]") ?? null;
  const writing = (element) => element?.matches("textarea, select, input:not([type=radio], [type=checkbox])") ?? false;
  const changed = (input) => ["input", "change"].forEach((kind) => input.dispatchEvent(new Event(kind, { bubbles: true })));

  function move(step) {
    const all = shown();
    const below = document.activeElement?.matches("[data-submit]") && step < 0;
    const at = below ? all.length : all.indexOf(here() ?? left);
    focusQuestion(at < 0 ? (firstOpen() ?? all[0]) : all[Math.min(all.length - 1, Math.max(0, at + step))]);
  }

  // Where a key goes: to the question with the focus, but never into a list that is folded, and never
  // to an answered question from outside.
  const closed = (question) => question?.querySelector("[data-fold]")?.open === false;
  const asked = () => (here() && !closed(here()) ? here() : firstMissing() ?? firstUnconfirmed());
  const keyed = (question, key) => question?.querySelector(`input[data-key="${key}"]`);

  function choose(question, input) {
    input.checked = input.type === "radio" || !input.checked;
    input.focus({ preventScroll: true });
    changed(input);
    if (input.type !== "radio") return;
    if (form.dataset.onChoice !== undefined) onChoice(question, input); else advance(question);
  }

  // A choice is the answer: it goes at once, or when no second digit can follow.
  let going = 0;
  function onChoice(question, input) {
    clearTimeout(going);
    const more = input.dataset.key && question.querySelector(`input[data-key^="${input.dataset.key}"]:not([data-key="${input.dataset.key}"])`);
    going = setTimeout(() => form.requestSubmit(form.querySelector("[data-submit]")), more ? TOGETHER : 0);
  }
  if (form.dataset.onChoice !== undefined) {
    form.addEventListener("click", (event) => {
      // A press of an arrow key clicks too, at no place.
      const { target } = event;
      if (event.detail > 0 && target.matches("input[type=radio]")) onChoice(target.closest("[data-question]"), target);
    });
  }

  // Two digits typed together are one number where the scale has it: 1 and 0 on a scale to 10.
  const TOGETHER = 700;
  let last = { question: null, digits: "", time: -Infinity };

  function answer(digit, time) {
    const joined = last.digits + digit;
    const whole = time - last.time < TOGETHER ? keyed(last.question, joined) : null;
    const question = whole ? last.question : asked();
    const open = question && places(question).find((list) => !list.value);
    if (open) return place(open, digit);
    const input = whole ?? keyed(question, digit);
    last = { question: input ? question : null, digits: whole ? joined : digit, time };
    if (!input) return false;
    choose(question, input);
    return true;
  }

  // The place of the first that has none; from there on the list itself takes the digits.
  function place(list, digit) {
    list.focus({ preventScroll: true });
    if (![...list.options].some((one) => one.value === digit)) return false;
    list.value = digit;
    changed(list);
    return true;
  }

  function say(value) {
    const question = asked();
    const input = radios(question ?? form).find((radio) => radio.value === value);
    if (!question || !input) return false;
    choose(question, input);
    return true;
  }

  // On to the next question; what is folded or preset is passed by, and reached with the arrows.
  function advance(question) {
    const all = shown();
    const after = all.slice(all.indexOf(question) + 1);
    const following = firstUnconfirmed() ? after.find(unconfirmed) ?? firstUnconfirmed() : after.find((one) => !closed(one) && !preset(one));
    if (following) focusQuestion(following);
    else form.querySelector("[data-submit]").focus({ preventScroll: true });
  }

  function enter(event) {
    // On a button, a link or a fold Enter does what it says there, unless Ctrl is held.
    const own = event.target.closest("button, a, summary") && !event.ctrlKey;
    if (own || document.querySelector("dialog[open]")) return;
    if (event.target.matches("textarea") && !event.ctrlKey && event.shiftKey) return;
    event.preventDefault();
    const question = event.target.closest("[data-question]");
    if (!event.ctrlKey && unconfirmed(question)) {
      confirm(question);
      return void advance(question);
    }
    const [missing] = tellMissing();
    if (missing) {
      focusQuestion(missing);
    } else {
      form.requestSubmit(form.querySelector("[data-submit]"));
    }
  }

  function arrow(event) {
    const { target } = event;
    if (writing(target) || document.querySelector("dialog[open]")) return;
    const inside = here();
    if (!inside && !target.matches("body, main, [data-submit]")) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (boxes(inside ?? form).includes(target)) {
      event.preventDefault();
      const own = boxes(inside);
      own[Math.min(own.length - 1, Math.max(0, own.indexOf(target) + (event.key === "ArrowRight" ? 1 : -1)))].focus();
    }
  }

  const YES_NO = { y: "yes", n: "no" };
  const LETTERS = {
    g: () => openDialog("guide-dialog"),
    "?": () => openDialog("guide-dialog"),
    k: () => openDialog("keys-dialog"),
    z: () => window.captious.toggleZoom?.(),
    u: () => document.querySelector("[data-undo]")?.click(),
    s: () => document.querySelector("[data-later]")?.click(),
    p: () => openDialog("aside-dialog"),
    j: () => window.captious.read?.(1),
    h: () => window.captious.read?.(-1),
    f: () => { if (firstUnconfirmed()) return void confirmAll(); if (form.querySelector("[data-all-fine]") && allFine()) form.querySelector("[data-submit]").focus({ preventScroll: true }); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.metaKey) return;
    if (event.key === "Enter") return void enter(event);
    if (event.ctrlKey) return;
    if (event.key.startsWith("Arrow")) return void arrow(event);
    if (event.key === "Escape" && writing(event.target)) return void leaveText(event.target);
    if (!enabled() || writing(event.target) || document.querySelector("dialog[open]")) return;
    if (/^[0-9]$/.test(event.key)) {
      if (answer(event.key, event.timeStamp)) event.preventDefault();
    } else if (Object.hasOwn(YES_NO, event.key)) {
      if (say(YES_NO[event.key])) event.preventDefault();
    } else if (Object.hasOwn(LETTERS, event.key)) {
      event.preventDefault();
      LETTERS[event.key]();
    }
  });
})();
