"use strict";
// After an answer: a short, quiet sound that can be switched on, and the arrow key for the next pair.
(() => {
  const STORE = "captious.sound";
  const button = document.querySelector("[data-sound]");
  const next = document.querySelector("[data-next]");
  const mood = document.querySelector("[data-mood]")?.dataset.mood;
  const NOTES = { good: [523, 659, 784], near: [523], off: [262] };
  const VOLUME = 0.05;

  function on() {
    try { return localStorage.getItem(STORE) === "on"; } catch { return false; }
  }
  function label() { button?.setAttribute("aria-pressed", String(on())); }

  function play() {
    const Context = window.AudioContext ?? window.webkitAudioContext;
    if (!on() || !NOTES[mood] || !Context) return;
    const context = new Context();
    NOTES[mood].forEach((pitch, place) => {
      const tone = context.createOscillator();
      const gain = context.createGain();
      const from = context.currentTime + place * 0.11;
      tone.frequency.value = pitch;
      gain.gain.setValueAtTime(VOLUME, from);
      gain.gain.exponentialRampToValueAtTime(0.0001, from + 0.25);
      tone.connect(gain).connect(context.destination);
      tone.start(from);
      tone.stop(from + 0.3);
    });
  }

  button?.addEventListener("click", () => {
    try { localStorage.setItem(STORE, on() ? "off" : "on"); } catch { /* for this page only */ }
    label();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowRight" || event.altKey || event.ctrlKey || event.metaKey) return;
    next?.click();
  });
  label();
  play();
})();
