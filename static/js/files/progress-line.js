// A bar with words beside it, above the buttons of a form.
export function progressLine(form) {
  const line = document.createElement("div");
  line.className = "progress-line mb-3";
  line.setAttribute("role", "status");
  const bar = document.createElement("progress");
  bar.className = "bar";
  bar.max = 1;
  const words = document.createElement("span");
  line.append(bar, " ", words);
  form.insertBefore(line, form.querySelector(".form-actions"));
  return { bar, words };
}
