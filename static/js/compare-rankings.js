// Draws a line between the two places of each document that both pages show. Without this script the arrows say it in words.
(function () {
  "use strict";

  const SPACE = "http://www.w3.org/2000/svg";
  const beside = document.querySelector("[data-rankings]");
  if (!beside) return;
  const drawing = beside.querySelector("[data-lines]");
  const [left, right] = [...beside.querySelectorAll(".beside-run")].map(
    (run) => new Map([...run.querySelectorAll("[data-document]")].map((row) => [row.dataset.document, row])),
  );

  function middle(row, from) {
    const box = row.getBoundingClientRect();
    return box.top + box.height / 2 - from.top;
  }

  function draw() {
    const frame = drawing.getBoundingClientRect();
    drawing.replaceChildren();
    if (!frame.width) return; // one below the other on a phone
    for (const [name, row] of left) {
      const other = right.get(name);
      if (!other) continue;
      const [start, end, bend] = [middle(row, frame), middle(other, frame), frame.width / 2];
      const line = document.createElementNS(SPACE, "path");
      line.setAttribute("d", `M0 ${start} C${bend} ${start} ${bend} ${end} ${frame.width} ${end}`);
      line.dataset.band = row.dataset.band;
      line.dataset.of = name;
      drawing.append(line);
    }
  }

  function light(event, on) {
    const row = event.target.closest?.("[data-document]");
    if (!row) return;
    const name = row.dataset.document;
    const line = [...drawing.children].find((path) => path.dataset.of === name);
    for (const part of [left.get(name), right.get(name), line]) part?.classList.toggle("is-lit", on);
  }

  new ResizeObserver(draw).observe(beside);
  beside.addEventListener("pointerover", (event) => light(event, true));
  beside.addEventListener("pointerout", (event) => light(event, false));
  beside.addEventListener("focusin", (event) => light(event, true));
  beside.addEventListener("focusout", (event) => light(event, false));
})();
