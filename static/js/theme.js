// Light, dark or automatic. Loaded before the first paint, so that a chosen theme never flashes.
// Automatic means no attribute: the style sheets follow the system by themselves.
(function () {
  "use strict";

  const KEY = "touchstone-theme";
  const root = document.documentElement;

  function stored() {
    try {
      const value = localStorage.getItem(KEY);
      return value === "light" || value === "dark" ? value : "auto";
    } catch {
      return "auto"; // storage can be forbidden
    }
  }

  function apply(theme) {
    if (theme === "auto") root.removeAttribute("data-bs-theme");
    else root.setAttribute("data-bs-theme", theme);
    for (const button of document.querySelectorAll("[data-theme-choice]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
    }
  }

  function choose(theme) {
    try {
      if (theme === "auto") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, theme);
    } catch {
      // the choice then holds for this page only
    }
    apply(theme);
    document.dispatchEvent(new CustomEvent("touchstone:theme"));
  }

  // Charts need a color as the browser computes it, not "light-dark(…)".
  function color(name) {
    const probe = document.createElement("i");
    probe.hidden = true;
    probe.style.color = `var(${name})`;
    root.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  window.touchstone = Object.assign(window.touchstone || {}, { color });
  apply(stored());

  document.addEventListener("DOMContentLoaded", () => {
    for (const part of document.querySelectorAll(".theme-switch")) part.hidden = false;
    apply(stored());
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-choice]");
    if (button) choose(button.dataset.themeChoice);
  });
  window.addEventListener("storage", (event) => {
    if (event.key === KEY) apply(stored());
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    document.dispatchEvent(new CustomEvent("touchstone:theme"));
  });
})();
