/* How far a long import is. Without this script the page waits silently, and the same happens.

   <form method="post" data-progress="address">: from the submission until the next page comes, a bar above .form-actions
   says what the address answers: {"words": "…", "share": 0.4}, share null where it is not known. */
import { progressLine } from "./progress-line.js";

const EVERY_MS = 1000;

async function ask(address, bar, words) {
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    const progress = await response.json();
    if (progress.words) words.textContent = `${progress.words} …`;
    if (progress.share === null) bar.removeAttribute("value");
    else bar.value = progress.share;
  } catch {
    // the import goes on without its bar
  }
}

function setUp(form) {
  let timer = 0;
  form.addEventListener("submit", () => {
    if (timer) return;
    const { bar, words } = progressLine(form);
    words.textContent = "Reading the file …";
    timer = setInterval(() => ask(form.dataset.progress, bar, words), EVERY_MS);
    // After the browser has taken the pressed button's value along.
    setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = true)));
  });
  // Back from the page that followed: as if nothing had been pressed.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
}

document.querySelectorAll("form[data-progress]").forEach(setUp);
