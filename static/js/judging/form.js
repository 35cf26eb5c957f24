// A card's form as fields to send.
import { hasEvidence } from "./evidence.js";

// The fields of a form with its pressed button; null, with a message, if something is missing.
export function fieldsOf(form, button) {
  const fields = Object.fromEntries(new FormData(form));
  if (button?.name === "reason") fields.grade = "";
  else if (!isFilled(form)) return null;
  if (button?.name) fields[button.name] = button.value;
  if (!fields.reason && !hasEvidence(form, fields.grade)) {
    refuse(form, "Mark the passage that made you decide, then choose this grade again.");
    return null;
  }
  if (fields.reason === "other" && !fields.comment?.trim() && !form.dataset.asked) return askForComment(form);
  delete form.dataset.asked;
  refuse(form, "");
  return fields;
}

function isFilled(form) {
  const box = form.querySelector("[data-number]");
  const empty = box?.value.trim() === "";
  if (!box || (!empty && box.checkValidity())) return true;
  box.reportValidity();
  refuse(form, empty ? "Choose a grade first." : box.validationMessage);
  box.focus();
  return false;
}

// “Another reason” asks once for a comment. Pressing the same button again saves it without one.
function askForComment(form) {
  form.dataset.asked = "1";
  form.querySelector("[popover]")?.hidePopover?.();
  refuse(form, "Explain the reason in the comment, then choose “Another reason” again. The comment is optional.");
  const box = form.querySelector("textarea[name=comment]");
  box.closest("details").open = true;
  box.focus();
  return null;
}

function refuse(form, text) {
  const line = form.querySelector("[data-refusal]");
  line.textContent = text;
  line.hidden = !text;
}
