// Deciding by keys: the grade's key, then the number of the cause, which sends the form. Nothing happens while typing,
// with Ctrl, Alt or Meta, or while a key is held.
(function () {
  "use strict";

  const TYPING = "input:not([type=radio]), textarea, select, [contenteditable]";
  const form = document.querySelector("[data-decision]");
  if (!form) return;
  const said = form.querySelector("[data-said]");
  const number = form.querySelector("input[type=number]");
  const choiceOf = (name, key) => form.querySelector(`input[name=${name}][data-key="${CSS.escape(key)}"]`);

  function toCause() {
    form.dataset.step = "cause";
    said.textContent = "Now the cause, by its number.";
  }
  function toGrade() {
    delete form.dataset.step;
    said.textContent = "Now the grade.";
  }
  function grade(key) {
    const input = choiceOf("value", key);
    if (input) {
      input.checked = true;
      input.focus();
      toCause();
    } else if (number && /^[0-9.]$/.test(key)) {
      number.value = "";
      number.focus();
      return false; // the digit is typed
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

  form.addEventListener("change", (event) => {
    if (event.target.name === "value") toCause();
  });
  number?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    toCause();
    form.querySelector("input[name=cause]").focus();
  });
  if (form.dataset.shortcuts !== "on") return;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(TYPING)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key.toLowerCase();
    const act = { escape: () => (toGrade(), true), s: later, c: note }[key];
    const done = act ? act() : form.dataset.step === "cause" ? cause(key) : grade(key);
    if (done) event.preventDefault();
  });
})();
