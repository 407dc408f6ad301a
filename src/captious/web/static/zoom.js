"use strict";
// The picture in large: by key, click, wheel and two fingers. The file itself is only fetched here.
(() => {
  const dialog = document.getElementById("zoom-dialog");
  const link = document.querySelector("[data-zoom]");
  if (!dialog || !link) return;
  const view = dialog.querySelector(".zoom-view");
  const image = dialog.querySelector("img");
  const small = link.querySelector("img");
  const LONG = 2; // sides in a ratio beyond which the short one tells what is to be seen
  const MOST = 3;
  const middle = { x: 0.5, y: 0.5 };
  let size = 1;

  // 1: the whole picture is in sight. `at` is the place in the picture that stays where it is.
  const whole = () => Math.min(view.clientWidth / image.naturalWidth, view.clientHeight / image.naturalHeight);
  const filled = () => Math.max(view.clientWidth / image.naturalWidth, view.clientHeight / image.naturalHeight);
  const largest = () => Math.max(MOST, (MOST * filled()) / whole(), 1 / whole());
  function resize(to, at = middle) {
    if (!image.naturalWidth) return;
    size = Math.min(largest(), Math.max(1, to));
    view.dataset.size = String(Math.round(100 * size) / 100);
    image.style.width = `${image.naturalWidth * whole() * size}px`;
    view.scrollTo(at.x * image.offsetWidth - view.clientWidth / 2, at.y * image.offsetHeight - view.clientHeight / 2);
  }

  function first() {
    const ratio = image.naturalWidth / image.naturalHeight;
    // Panoramas open as high as the window, and tall pictures as wide as it.
    if (ratio > LONG || ratio < 1 / LONG) return void resize(filled() / whole(), ratio > LONG ? { x: 0, y: 0.5 } : { x: 0.5, y: 0 });
    // On a phone the picture has the window's width already: it opens larger than it was.
    resize(small.getBoundingClientRect().width > 0.75 * view.clientWidth ? 2 : 1);
  }

  // On the page a panorama is a strip: it is shown higher there, and moves sideways.
  function widen() {
    const wide = small.naturalWidth > 2.5 * small.naturalHeight;
    link.classList.toggle("panorama", wide);
    if (wide) small.sizes = `${Math.round((small.naturalWidth / small.naturalHeight) * 0.3 * innerHeight)}px`;
  }
  if (small.complete) widen();
  small.addEventListener("load", widen, { once: true });

  function open() {
    dialog.showModal();
    view.focus();
    if (image.src) return void first();
    image.addEventListener("load", first, { once: true });
    image.src = image.dataset.src;
  }
  function toggle() {
    if (dialog.open) dialog.close(); else open();
  }
  const placeOf = (event) => {
    const box = image.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };

  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  image.addEventListener("click", (event) => { if (!moved) resize(size + 1 > largest() ? 1 : size + 1, placeOf(event)); });
  dialog.querySelector("[data-zoom-in]").addEventListener("click", () => resize(size + 1));
  dialog.querySelector("[data-zoom-out]").addEventListener("click", () => resize(size - 1));
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    resize(size * Math.exp(-event.deltaY / 400), placeOf(event));
  }, { passive: false });

  // Two fingers, or a mouse that drags.
  const fingers = new Map();
  let apart = 0;
  let moved = false;
  const distance = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  view.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    moved = false;
    if (fingers.size === 2) apart = distance() / size;
  });
  view.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) {
      moved = true;
      resize(distance() / apart, placeOf(event));
    } else if (event.pointerType === "mouse") {
      moved ||= Math.hypot(event.movementX, event.movementY) > 1;
      view.scrollBy(before.clientX - event.clientX, before.clientY - event.clientY);
    }
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) view.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  image.draggable = false;

  dialog.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") resize(size + 1);
    else if (event.key === "-") resize(size - 1);
    else if (event.key === "z") { event.stopPropagation(); dialog.close(); }
  });
  window.captious.toggleZoom = toggle;
})();
