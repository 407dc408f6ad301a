// Dark mode and sortable tables. The page is whole without them.
document.documentElement.classList.add("js");

(function darkMode() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => {
    try { return localStorage.getItem("captious-theme"); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem("captious-theme", theme); } catch { /* private window: not kept */ }
  };
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  const before = remembered();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();
})();

(function sortableTables() {
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(table, heads, column));
    });
  }

  function sort(table, heads, column) {
    const head = heads[column];
    const first = column === 0 ? "ascending" : "descending"; // high scores are what one looks for
    const other = first === "ascending" ? "descending" : "ascending";
    const direction = head.getAttribute("aria-sort") === first ? other : first;
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [a.cells[column], b.cells[column]];
      if (column === 0) return sign * x.textContent.localeCompare(y.textContent);
      const [u, v] = [x.dataset.value, y.dataset.value].map((t) => (t === undefined ? NaN : Number(t)));
      if (Number.isNaN(u) || Number.isNaN(v)) return Number.isNaN(u) - Number.isNaN(v);
      return sign * (u - v);
    });
    body.append(...rows);
  }
})();
