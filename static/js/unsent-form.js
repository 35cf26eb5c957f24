// What was entered in a form whose session had ended comes back with its page after the sign-in: in the same tab, and for the
// same account. Files and secrets don't.
const KEY = "touchstone.unsent";
const SECRET = "[type=password], [autocomplete=one-time-code]";
const NOT_KEPT = ["file", "submit", "button", "image", "reset", "fieldset", "output"];
const TOKEN = "csrfmiddlewaretoken";

const account = document.querySelector("[data-account]")?.dataset.account;
const fieldsOf = (form) =>
  [...form.elements].filter(({ name, type }) => name && name !== TOKEN && !NOT_KEPT.includes(type));
const alike = (action) =>
  [...document.querySelectorAll("form[method=post]")].filter((form) => form.getAttribute("action") === action);

function keep(form) {
  forget();
  const fields = fieldsOf(form);
  if (fields.every(({ type }) => type === "hidden") || form.querySelector(SECRET)) return;
  const action = form.getAttribute("action");
  const place = { path: location.pathname, action, nth: alike(action).indexOf(form) };
  const values = fields.map(({ name, value, checked }) => ({ name, value, checked }));
  write({ account, ...place, values });
}

// Hidden fields, too: they say which state the form was made from, so that a change of somebody else meanwhile is noticed.
function restore({ action, nth, values }) {
  const form = alike(action)[nth];
  if (!form) return;
  for (const field of fieldsOf(form)) {
    const place = values.findIndex(({ name, value }) =>
      name === field.name && (!["checkbox", "radio"].includes(field.type) || value === field.value));
    if (place < 0) continue;
    const [{ value, checked }] = values.splice(place, 1);
    if (checked === undefined) field.value = value;
    else [field.value, field.checked] = [value, checked];
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

function write(form) {
  attempt(() => sessionStorage.setItem(KEY, JSON.stringify(form)));
}

function forget() {
  attempt(() => sessionStorage.removeItem(KEY));
}

// Storage may be refused or full: then the form has to be filled in again.
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

const kept = attempt(() => JSON.parse(sessionStorage.getItem(KEY)));
if (kept && !account) {
  write({ ...kept, refused: true }); // a sign-in page came in place of an answer
} else if (kept) {
  forget();
  if (kept.refused && kept.account === account && kept.path === location.pathname) restore(kept);
}

document.addEventListener("submit", (event) => {
  if (account && !event.defaultPrevented && event.target.method === "post") keep(event.target);
});
