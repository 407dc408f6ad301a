"use strict";
// The queue of disagreements by keyboard: a digit takes a rater's answers, n and p go on and back, u takes
// the last decision back, o goes to the form for another answer.
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const field = document.activeElement;
    if (field && field.matches("input:not([type='radio'], [type='checkbox']), textarea, select")) return;
    // A digit in the form belongs to the form.
    const inForm = field && field.closest("[data-queue-form]");
    if (inForm && /^\d$/.test(event.key)) return;
    if (event.key === "o") {
      const first = document.querySelector("[data-queue-form] input:not([type='hidden']), [data-queue-form] textarea");
      if (first) { event.preventDefault(); first.focus(); first.scrollIntoView({ block: "center" }); }
      return;
    }
    const key = { ArrowRight: "n", ArrowLeft: "p" }[inForm ? "" : event.key] || event.key;
    const target = [...document.querySelectorAll("[data-hotkey]")].find((one) => one.dataset.hotkey === key);
    if (target) { event.preventDefault(); target.click(); }
  });
})();
