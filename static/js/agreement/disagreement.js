// Decides by keyboard: the grade's key, then the number of the cause, which sends the form. Ignores keys while typing, with
// Ctrl, Alt or Meta, and keys that are held down.
const TYPING = "input:not([type=radio]), textarea, select, [contenteditable]";
const form = document.querySelector("[data-decision]");
if (form) start();

function choiceOf(name, key) {
  return form.querySelector(`input[name=${name}][data-key="${CSS.escape(key)}"]`);
}
function announce(text) {
  form.querySelector("[data-announcement]").textContent = text;
}
function toCause() {
  form.dataset.step = "cause";
  announce("Now press the number of the cause.");
}
function toGrade() {
  delete form.dataset.step;
  announce("Now press the key of the grade.");
  return true;
}
function grade(key) {
  const input = choiceOf("value", key);
  const number = form.querySelector("input[type=number]");
  if (input) {
    input.checked = true;
    input.focus();
    toCause();
  } else if (number && /^[0-9.]$/.test(key)) {
    number.value = "";
    number.focus();
    return false; // so that the browser types the digit
  }
  return Boolean(input);
}
function cause(key) {
  const input = choiceOf("cause", key);
  if (!input) return false;
  input.checked = true;
  input.focus();
  form.requestSubmit(form.querySelector("button[value=decide]"));
  return true;
}
function later() {
  const link = document.querySelector("[data-next]");
  link?.click();
  return Boolean(link);
}
function note() {
  form.elements.note.focus();
  return true;
}

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target instanceof Element && event.target.closest(TYPING)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const key = event.key.toLowerCase();
  const command = { escape: toGrade, s: later, c: note }[key];
  const done = command ? command() : form.dataset.step === "cause" ? cause(key) : grade(key);
  if (done) event.preventDefault();
}

function start() {
  form.addEventListener("change", (event) => event.target.name === "value" && toCause());
  form.querySelector("input[type=number]")?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    toCause();
    form.querySelector("input[name=cause]").focus();
  });
  if (form.dataset.shortcuts === "on") document.addEventListener("keydown", press);
}
