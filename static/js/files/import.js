/* <form method="post" data-reads-file>: says above .form-actions that the file is being read, until the next page comes.
   Without this script the page waits silently, and the same happens. */
import { progressLine } from "./progress-line.js";

function setUp(form) {
  form.addEventListener("submit", () => {
    progressLine(form).words.textContent = "Reading the file …";
    // After the browser has taken the pressed button's value along.
    setTimeout(() => form.querySelectorAll("button").forEach((button) => (button.disabled = true)));
  });
  // Back from the page that followed: as if nothing had been pressed.
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
}

document.querySelectorAll("form[data-reads-file]").forEach(setUp);
