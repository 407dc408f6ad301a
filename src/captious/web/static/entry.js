"use strict";
// Enter leads on from what was expected to the next example.
document.querySelector("[data-focus]")?.focus({ preventScroll: true });
