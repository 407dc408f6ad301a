"use strict";
// Before the first paint: styles may count on a script being there.
document.documentElement.classList.add("js");
