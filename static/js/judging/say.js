// Tells screen readers what has happened.
export function say(text) {
  document.getElementById("judge-announce").textContent = text;
}
