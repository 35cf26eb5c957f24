// Documents, and the line of the cutoff, are dragged by mouse or finger. The server works out every number:
// after a drop the form is sent. The arrows and the fields do the same without this script.
import { placeAmong, sceneOf } from "./scene.js";

let drag = null;

const lists = () => [...document.querySelectorAll("[data-scene]")];

function listAt(y, item) {
  if (item.dataset.cut !== undefined) return item.parentElement;
  const [retrieved, missed] = lists();
  return y < missed.previousElementSibling.getBoundingClientRect().top ? retrieved : missed;
}

function moveTo(item, y) {
  const list = listAt(y, item);
  const others = [...list.children].filter((one) => one !== item);
  const boxes = others.map((one) => one.getBoundingClientRect());
  const next = others[placeAmong(boxes, y)] ?? null;
  if (item.parentElement !== list || item.nextElementSibling !== next) list.insertBefore(item, next);
}

function read() {
  return lists().map((list) =>
    [...list.children].filter((one) => one.dataset.document || one.dataset.cut !== undefined).map((one) => one.dataset.document ?? null),
  );
}

function finish(form) {
  const [retrieved] = read();
  const scene = sceneOf(retrieved, Number(form.elements.k.value), drag.item.dataset.cut !== undefined);
  form.elements.retrieved.value = scene.retrieved.join(",");
  form.elements.k.value = String(scene.cutoff);
  form.requestSubmit();
}

function stop() {
  drag.item.classList.remove("dragged");
  document.body.classList.remove("dragging");
  drag = null;
}

function dragged(event) {
  if (event.button !== 0 || !(event.target instanceof Element)) return null;
  if (event.target.closest("a, select, label")) return null;
  // A finger anywhere else on the row scrolls the page.
  if (event.pointerType !== "mouse" && !event.target.closest(".scene-grip, [data-cut]")) return null;
  return event.target.closest("[data-scene] > :is([data-document], [data-cut])");
}

document.addEventListener("pointerdown", (event) => {
  const item = dragged(event);
  if (!item) return;
  event.preventDefault();
  drag = { item, list: item.parentElement, next: item.nextElementSibling };
  item.classList.add("dragged");
  document.body.classList.add("dragging");
});

document.addEventListener("pointermove", (event) => {
  if (drag) moveTo(drag.item, event.clientY);
});

document.addEventListener("pointerup", () => {
  if (!drag) return;
  const moved = drag.item.parentElement !== drag.list || drag.item.nextElementSibling !== drag.next;
  if (moved) finish(drag.item.closest("form"));
  stop();
});

function undo() {
  if (!drag) return;
  drag.list.insertBefore(drag.item, drag.next);
  stop();
}

document.addEventListener("pointercancel", undo);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") undo();
});
