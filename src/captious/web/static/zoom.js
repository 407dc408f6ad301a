"use strict";
// The image larger: fitted to the window, then twice and three times its width, moved by scrolling.
(() => {
  const dialog = document.getElementById("zoom-dialog");
  const link = document.querySelector("[data-zoom]");
  if (!dialog || !link) return;
  const view = dialog.querySelector(".zoom-view");
  const image = dialog.querySelector("img");

  function resize(to, at = { x: 0.5, y: 0.5 }) {
    const size = Math.min(3, Math.max(1, to));
    view.dataset.size = String(size);
    view.scrollTo((view.scrollWidth - view.clientWidth) * at.x, (view.scrollHeight - view.clientHeight) * at.y);
  }
  const size = () => Number(view.dataset.size ?? 1);

  function open() {
    image.src = image.dataset.src;
    dialog.showModal();
    // On a phone the picture has the window's width already: it opens larger than it was.
    const shown = link.querySelector("img").getBoundingClientRect().width;
    resize(shown > 0.75 * view.clientWidth ? 2 : 1);
    view.focus();
  }
  function toggle() {
    if (dialog.open) dialog.close(); else open();
  }

  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  image.addEventListener("click", (event) => {
    const box = image.getBoundingClientRect();
    const at = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
    resize(size() >= 3 ? 1 : size() + 1, at);
  });
  dialog.querySelector("[data-zoom-in]").addEventListener("click", () => resize(size() + 1));
  dialog.querySelector("[data-zoom-out]").addEventListener("click", () => resize(size() - 1));
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") resize(size() + 1);
    else if (event.key === "-") resize(size() - 1);
    else if (event.key === "z") { event.stopPropagation(); dialog.close(); }
  });
  window.captious.toggleZoom = toggle;
})();
