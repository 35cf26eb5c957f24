// Draws a line between the two places of each document that both pages show. Without this script the arrows say it in words.
const SPACE = "http://www.w3.org/2000/svg";
const compared = document.querySelector("[data-rankings]");
if (compared) connect(compared);

function connect(beside) {
  const drawing = beside.querySelector("[data-lines]");
  const runs = [...beside.querySelectorAll(".beside-run")].map(rowsByDocument);
  new ResizeObserver(() => draw(drawing, runs)).observe(beside);
  for (const kind of ["pointerover", "focusin"]) beside.addEventListener(kind, (event) => light(event, true));
  for (const kind of ["pointerout", "focusout"]) beside.addEventListener(kind, (event) => light(event, false));

  function light(event, on) {
    const name = event.target.closest?.("[data-document]")?.dataset.document;
    if (name === undefined) return;
    const line = [...drawing.children].find((path) => path.dataset.of === name);
    for (const part of [...runs.map((rows) => rows.get(name)), line]) part?.classList.toggle("is-lit", on);
  }
}

function rowsByDocument(run) {
  return new Map([...run.querySelectorAll("[data-document]")].map((row) => [row.dataset.document, row]));
}

function draw(drawing, [left, right]) {
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

function middle(row, frame) {
  const box = row.getBoundingClientRect();
  return box.top + box.height / 2 - frame.top;
}
