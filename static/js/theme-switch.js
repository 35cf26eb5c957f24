// Light, dark or automatic. theme.js has set what was chosen before.
const KEY = "touchstone-theme";
const root = document.documentElement;

function storedTheme() {
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
  announce();
}

const announce = () => document.dispatchEvent(new CustomEvent("touchstone:theme"));

for (const part of document.querySelectorAll(".theme-switch")) part.hidden = false;
apply(storedTheme());

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-choice]");
  if (button) choose(button.dataset.themeChoice);
});
window.addEventListener("storage", (event) => event.key === KEY && apply(storedTheme()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);
