// Which commands a key gives. The map comes with the page. That of the rating screen is declared in
// judgments/judging/shortcuts.py, that of all other pages in templates/parts/keys.html, each once for script and help. A command is {keys, always}: its keys as browsers name them, in lower case, and whether it works
// while single-key shortcuts are off.
export const TYPING = "input:not([type=range]):not([type=hidden]):not([type=radio]), textarea, select, [contenteditable]";

export class KeyMap {
  #commands;
  #byKey = new Map();

  constructor(commands, { shortcuts = true } = {}) {
    this.#commands = commands;
    for (const [name, { keys, always }] of Object.entries(commands)) {
      if (!shortcuts && !always) continue;
      for (const key of keys) this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), name]);
    }
  }

  // One key may give several commands: the first that has something to do takes it.
  commandsOf(event) {
    return keysOf(event).flatMap((key) => this.#byKey.get(key) ?? []);
  }

  firstKey(name) {
    return this.#commands[name].keys[0];
  }
}

// The names by which a key is looked up: “shift+1” wherever Shift makes another sign of the digit, and the sign itself;
// “ctrl+k” with Ctrl or the Command key of a Mac.
function keysOf({ key, code, shiftKey, ctrlKey, metaKey }) {
  if (ctrlKey || metaKey) return [`ctrl+${key.toLowerCase()}`];
  const digit = shiftKey && /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  const sign = key.toLowerCase();
  return digit && !/^\d$/.test(key) ? [`shift+${digit}`, sign] : [sign];
}
