// Draws a line between the two places of each document that both pages show. Without this script the arrows say it in words.
import { followDocuments } from "../explain/lit-document.js";

const SPACE = "http://www.w3.org/2000/svg";
const compared = document.querySelector("[data-rankings]");
if (compared) connect(compared);
followDocuments();

function connect(rankings) {
  const drawing = rankings.querySelector("[data-lines]");
  const runs = [...rankings.querySelectorAll(".beside-run")].map(rowsByDocument);
  new ResizeObserver(() => draw(drawing, runs)).observe(rankings);
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
    if (!row.checkVisibility() || !other?.checkVisibility()) continue; // in a fold
    const [start, end, bend] = [middle(row, frame), middle(other, frame), frame.width / 2];
    const line = document.createElementNS(SPACE, "path");
    line.setAttribute("d", `M0 ${start} C${bend} ${start} ${bend} ${end} ${frame.width} ${end}`);
    line.dataset.band = row.dataset.band;
    line.dataset.document = name;
    line.classList.toggle("is-lit", row.classList.contains("is-lit"));
    drawing.append(line);
  }
}

function middle(row, frame) {
  const box = row.getBoundingClientRect();
  return box.top + box.height / 2 - frame.top;
}
