// What a drag means, without the page.

/** The index of the first box whose middle lies below `y`; one past the last where none does. */
export function placeAmong(boxes, y) {
  const at = boxes.findIndex((box) => y < (box.top + box.bottom) / 2);
  return at < 0 ? boxes.length : at;
}

/** The ranking and the cutoff. `items` are documents from the top, and null for the line of the cutoff, which decides it if it was moved. */
export function sceneOf(items, cutoff, cutMoved) {
  const retrieved = items.filter((item) => item !== null);
  const above = items.indexOf(null);
  return { retrieved, cutoff: cutMoved && above >= 0 ? Math.max(above, 1) : cutoff };
}
