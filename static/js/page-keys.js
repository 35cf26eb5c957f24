// The keys of every page but the rating screen: j and k walk through the rows of lists, Ctrl-K goes anywhere, ? shows the keys.
// The rows of the help (templates/parts/keys.html) declare them.
import { KeyMap, TYPING } from "./keymap.js";
import { stepped } from "./stepped.js";

const ROWS = "table.data tbody tr, ul.rows > li, ol.beside-list > li";
const help = document.getElementById("keys");
const places = document.getElementById("go-to");

// The link that opens each row, without rows that aren't shown.
function rowLinks() {
  const links = [...document.querySelectorAll(ROWS)].map((row) => row.querySelector("th a[href]") ?? row.querySelector("a[href]"));
  return links.filter((link) => link?.checkVisibility());
}

function walk(links, step, at = links.indexOf(document.activeElement)) {
  links[stepped(at, step, links.length)]?.focus();
  return links.length > 0;
}

function walkRows(step) {
  const links = rowLinks();
  const row = document.activeElement?.closest(ROWS);
  return walk(links, step, row ? links.findIndex((link) => row.contains(link)) : -1);
}

const commands = {
  below: () => walkRows(1),
  above: () => walkRows(-1),
  help: () => show(help),
  goTo: () => show(places),
};

function show(dialog) {
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("input")?.select();
  return true;
}

function declared() {
  const rows = [...help.querySelectorAll("[data-command]")];
  return Object.fromEntries(
    rows.map(({ dataset: { command, key, always } }) => [command, { keys: [key], always: always !== undefined }]),
  );
}

function isForOthers({ target, altKey, ctrlKey, metaKey, isComposing, repeat, key }) {
  if (altKey || isComposing || (repeat && !"jk".includes(key))) return true;
  if (ctrlKey || metaKey) return false;
  return document.querySelector("dialog[open]") !== null || (target instanceof Element && target.closest(TYPING) !== null);
}

function start() {
  const keymap = new KeyMap(declared(), { shortcuts: help.dataset.shortcuts === "on" });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isForOthers(event)) return;
    if (keymap.commandsOf(event).some((name) => commands[name]())) event.preventDefault();
  });
  document.querySelector("[data-go-to]")?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(places);
  });
  places?.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && walk([...places.querySelectorAll("#go-to-places a")], step)) event.preventDefault();
  });
  // Enter opens the first place, if the places of the words have come.
  places?.addEventListener("submit", (event) => {
    const first = places.querySelector("#go-to-places a");
    if (!first || places.querySelector(".htmx-request")) return;
    event.preventDefault();
    first.click();
  });
}

if (help) start();
