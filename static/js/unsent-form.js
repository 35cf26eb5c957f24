// What was entered in a form whose session had ended comes back with its page after the sign-in: in the same tab, for the same
// account, and in the same form. Files and secrets don't.
import { attempt } from "./attempt.js";

const KEY = "touchstone.unsent";
const SECRET = "[type=password], [autocomplete=one-time-code]";
const NOT_KEPT = ["file", "submit", "button", "image", "reset", "fieldset", "output"];
const OF_ONE_VISIT = ["csrfmiddlewaretoken", "once"];
const SEEN = "seen"; // says which state the form was made from, so that a change of somebody else meanwhile is noticed

const account = document.querySelector("[data-account]")?.dataset.account;
const fieldsOf = (form) =>
  [...form.elements].filter(({ name, type }) => name && !OF_ONE_VISIT.includes(name) && !NOT_KEPT.includes(type));

// Forms that send the same: hidden fields say which row of a table a form is about.
const formsLike = (action, values) =>
  [...document.querySelectorAll("form[method=post]")].filter((form) =>
    form.getAttribute("action") === action
    && fieldsOf(form).filter(({ name, type }) => type === "hidden" && name !== SEEN)
      .every((field) => values.some(({ name, value }) => name === field.name && value === field.value)));

function keep(form) {
  forget();
  const fields = fieldsOf(form);
  if (fields.every(({ type }) => type === "hidden") || form.querySelector(SECRET)) return;
  const values = fields.map(({ name, value, checked }) => ({ name, value, checked }));
  const action = form.getAttribute("action");
  write({ account, path: location.pathname, action, nth: formsLike(action, values).indexOf(form), values });
}

function restore({ action, nth, values }) {
  const form = formsLike(action, values)[nth];
  if (!form) return;
  for (const field of fieldsOf(form)) {
    const place = values.findIndex(({ name, value }) =>
      name === field.name && (!["checkbox", "radio"].includes(field.type) || value === field.value));
    if (place >= 0) Object.assign(field, values.splice(place, 1)[0]);
  }
  for (let fold = form.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const words = notice({ hasFile: form.querySelector("[type=file]"), isWhole: !values.some(({ value }) => value) });
  form.before(words);
  words.scrollIntoView({ block: "center" });
}

function notice({ hasFile, isWhole }) {
  const words = document.createElement("p");
  words.className = "notice notice-warning";
  words.setAttribute("role", "status");
  words.textContent = `What you entered is back${isWhole ? "" : " as far as it has a field here"}, and isn’t saved yet.`;
  if (hasFile) words.textContent += " Choose the file again.";
  return words;
}

const write = (unsent) => attempt(() => sessionStorage.setItem(KEY, JSON.stringify(unsent)));
const forget = () => attempt(() => sessionStorage.removeItem(KEY));

const unsent = attempt(() => JSON.parse(sessionStorage.getItem(KEY)));
if (unsent && !account) {
  write({ ...unsent, refused: true }); // a sign-in page came in place of an answer
} else if (unsent) {
  forget();
  if (unsent.refused && unsent.account === account && unsent.path === location.pathname) restore(unsent);
}

// After all listeners of the page: those that send a form themselves have prevented it by then.
window.addEventListener("submit", (event) => {
  if (account && !event.defaultPrevented && event.target.method === "post") keep(event.target);
});
