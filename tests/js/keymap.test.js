import assert from "node:assert/strict";
import test from "node:test";

import { KeyMap } from "../../static/js/keymap.js";

const COMMANDS = {
  undo: { keys: ["z", "backspace"], always: false },
  above: { keys: ["arrowup"], always: true },
  more: { keys: ["arrowup", "pageup"], always: false },
  sure: { keys: ["shift+1"], always: false },
  mark: { keys: ["!"], always: false },
};
const keys = new KeyMap(COMMANDS);
const press = (key, more) => keys.commandsOf({ key, code: "", shiftKey: false, ...more });

test("with Ctrl or Command a key gives what is declared with Ctrl, and nothing else", () => {
  const map = new KeyMap({ go: { keys: ["ctrl+k"], always: true }, above: { keys: ["k"], always: false } });
  assert.deepEqual(map.commandsOf({ key: "k", ctrlKey: true }), ["go"]);
  assert.deepEqual(map.commandsOf({ key: "K", metaKey: true }), ["go"]);
  assert.deepEqual(map.commandsOf({ key: "k" }), ["above"]);
});

test("a command has its own key and fixed ones, in either case", () => {
  assert.deepEqual(press("z"), ["undo"]);
  assert.deepEqual(press("Z", { shiftKey: true }), ["undo"]);
  assert.deepEqual(press("Backspace"), ["undo"]);
  assert.deepEqual(press("u"), []);
});

test("one key may give several commands, in the order of the map", () => {
  assert.deepEqual(press("ArrowUp"), ["above", "more"]);
});

test("Shift and a digit is one key, whatever sign the keyboard makes of it", () => {
  assert.deepEqual(press("!", { code: "Digit1", shiftKey: true }), ["sure", "mark"]);
  assert.deepEqual(press("&", { code: "Digit1", shiftKey: true }), ["sure"]);
  assert.deepEqual(press("End", { code: "Numpad1", shiftKey: true }), ["sure"]);
});

test("where Shift makes the digit itself, it is a digit", () => {
  assert.deepEqual(press("1", { code: "Digit1", shiftKey: true }), []);
});

test("while single-key shortcuts are off, only what always counts does", () => {
  const off = new KeyMap(COMMANDS, { shortcuts: false });

  assert.deepEqual(off.commandsOf({ key: "ArrowUp", code: "ArrowUp" }), ["above"]);
  assert.deepEqual(off.commandsOf({ key: "z", code: "KeyZ" }), []);
  assert.equal(off.firstKey("undo"), "z");
});
