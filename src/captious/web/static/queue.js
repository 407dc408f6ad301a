"use strict";
// The queue of disagreements by keyboard: a digit takes a rater's answers, n and p go on and back, u takes
// the last decision back, o opens the form for another answer.
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const field = document.activeElement;
    if (field && field.matches("input:not([type='radio'], [type='checkbox']), textarea, select")) return;
    // A digit in the form belongs to the form.
    const inForm = field && field.closest("[data-queue-form]");
    if (inForm && /^\d$/.test(event.key)) return;
    if (event.key === "o") {
      const other = document.querySelector("[data-other]");
      if (!other) return;
      event.preventDefault();
      other.open = true;
      other.scrollIntoView({ block: "start" });
      // What all agree on is filled in: the first question that is open is what there is to decide.
      const { firstMissing, shown, focusQuestion } = window.captious;
      focusQuestion(firstMissing() ?? shown()[0]);
      return;
    }
    const key = { ArrowRight: "n", ArrowLeft: "p" }[inForm ? "" : event.key] || event.key;
    const target = [...document.querySelectorAll("[data-hotkey]")].find((one) => one.dataset.hotkey === key);
    if (target) { event.preventDefault(); target.click(); }
  });
})();
