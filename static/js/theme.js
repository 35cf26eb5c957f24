// Sets a chosen theme before the first paint, so that it never flashes; a module would come too late. Without a choice
// there is no attribute: the style sheets follow the system by themselves. The switch is theme-switch.js.
"use strict";

try {
  const chosen = localStorage.getItem("touchstone-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.setAttribute("data-bs-theme", chosen);
} catch {
  // storage can be forbidden: the system decides
}
