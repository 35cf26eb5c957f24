// One listener for all keys. Grades' keys stand on their buttons, as the scale says; those of commands are in the key map.
// Nothing happens while typing, with Ctrl, Alt or Meta, during composition, or in a dialog.
import { TYPING } from "../keymap.js";

const CONTROLS = "a, button, summary, input";

// `screen` has `keymap`, `shortcuts` (whether single keys count), `commands`, each of which returns false where it has
// nothing to do, and `choose(event)`, which looks for what a sign chooses on the card: true where it did, false where the
// browser is to have the key, undefined where the key map is asked.
export function listenToKeys(screen) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isForOthers(event)) return;
    if (event.repeat ? isHeldSign(screen, event) : take(screen, event)) event.preventDefault();
  });
}

function isForOthers({ target, key, ctrlKey, altKey, metaKey, isComposing }) {
  if (ctrlKey || altKey || metaKey || isComposing || document.querySelector("dialog[open]")) return true;
  if (!(target instanceof Element)) return false;
  if (key === "Escape") return false;
  if (key === "Enter" && target.closest(CONTROLS)) return true;
  // Radio buttons and the slider move by arrows.
  return Boolean(target.closest(TYPING)) || (target.matches("input") && key.startsWith("Arrow"));
}

// A sign that is held counts once; the browser does nothing else with it. Held arrows scroll.
function isHeldSign(screen, event) {
  return event.key.length === 1 && (screen.keymap.commandsOf(event).length > 0 || Boolean(screen.gradeButton(event.key)));
}

function take(screen, event) {
  const chosen = screen.shortcuts ? screen.choose(event) : undefined;
  if (chosen !== undefined) return chosen;
  return screen.keymap.commandsOf(event).some((name) => screen.commands[name] && screen.commands[name](event) !== false);
}
