"use strict";
// Questions of one's own: rows appear when they are wanted, and raters' view follows the typing.
(() => {
  const builder = document.querySelector("[data-builder]");
  if (!builder) return;
  const form = builder.closest("form");
  const sample = builder.querySelector("[data-sample]");
  const rows = [...builder.querySelectorAll("[data-row]")];
  const more = builder.querySelector("[data-more]");
  let timer = 0;
  let asked = 0;

  function shape() {
    for (const row of rows) {
      row.hidden = row.hasAttribute("data-spare");
      const keys = row.querySelector("[data-kind]").selectedOptions[0].dataset.keys.split(" ");
      for (const part of row.querySelectorAll("[data-for]")) part.hidden = !keys.includes(part.dataset.for);
      for (const end of row.querySelectorAll("[data-usual]")) end.placeholder = keys.includes("labels") ? end.getAttribute("data-usual") : "";
    }
    more.hidden = !rows.some((row) => row.hidden);
  }

  async function show() {
    const data = new FormData();
    for (const field of form.elements) {
      if (field.name === "csrf" || (field.name || "").startsWith("build.")) {
        if (field.type !== "checkbox" || field.checked) data.append(field.name, field.value);
      }
    }
    asked += 1;
    const own = asked;
    try {
      const answer = await fetch(builder.dataset.builder, { method: "POST", body: data, credentials: "same-origin" });
      if (!answer.ok || own !== asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById("sample");
      if (found) sample.replaceChildren(...found.childNodes);
    } catch {
      // Offline: the next key tries again, and the form itself is checked when it is sent.
    }
  }

  more.addEventListener("click", () => {
    const next = rows.find((row) => row.hidden);
    next.removeAttribute("data-spare");
    shape();
    next.querySelector("input").focus();
  });
  builder.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 300); });
  builder.addEventListener("change", shape);
  shape();
  show();
})();
