"use strict";
// What every page has: the theme, times in the visitor's zone, errors in focus, one submit a click.
(() => {
  const year = 365 * 24 * 3600;

  function darkNow() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function labelTheme(button) {
    const words = darkNow() ? button.dataset.toLight : button.dataset.toDark;
    button.title = words;
    button.querySelector(".visually-hidden").textContent = words;
    button.value = darkNow() ? "light" : "dark";
  }

  for (const form of document.querySelectorAll("[data-theme-form]")) {
    const button = form.querySelector("button");
    labelTheme(button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const theme = darkNow() ? "light" : "dark";
      document.documentElement.dataset.theme = theme;
      document.cookie = `captious_theme=${theme}; path=/; max-age=${year}; samesite=lax`;
      labelTheme(button);
    });
  }

  for (const time of document.querySelectorAll("time[data-local]")) {
    const when = new Date(time.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      time.title = time.textContent;
      time.textContent = when.toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
    }
  }

  document.querySelector("[data-focus]")?.focus();

  // A form that handles its own submit says so with data-answers.
  for (const form of document.querySelectorAll("form[method=post]:not([data-answers], [data-theme-form])")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = "yes";
      setTimeout(() => delete form.dataset.sent, 4000);
    });
  }
})();
