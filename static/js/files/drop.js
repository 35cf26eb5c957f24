/* Upload progress. Without this script the form works by itself; the drop zone (`.drop`) is shell.js's business.

   <form method="post" enctype="multipart/form-data" data-upload> with an <input type="file"> and a .form-actions:
   a bar appears above .form-actions while the file travels. The answer, be it the page after the redirect or the form
   with its report (422, 413), takes the place of <main>. */
import { size } from "../bytes.js";
import { progressLine } from "./progress-line.js";

function upload(form, event) {
  if (!form.querySelector('input[type="file"]')?.files.length) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter); // before its buttons are disabled
  const { bar, words } = progressLine(form);
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => (button.disabled = true));
  const request = new XMLHttpRequest(); // fetch doesn't tell how much has been sent
  const fail = () => {
    buttons.forEach((button) => (button.disabled = false));
    bar.remove();
    words.textContent = "The upload was cut off and nothing was stored. Try again.";
  };
  request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
    bar.value = lengthComputable ? loaded / total : 0;
    words.textContent = bar.value < 1 ? `${Math.floor(100 * bar.value)} % of ${size(total)}` : "Reading the file …";
  });
  request.upload.addEventListener("load", () => {
    bar.removeAttribute("value");
    words.textContent = "Reading the file …";
  });
  request.addEventListener("load", () => showPage(request));
  request.addEventListener("error", fail);
  request.addEventListener("abort", fail);
  request.open("POST", form.action);
  request.send(body);
}

// The redirect has been followed and its messages are spent, so the page that came is shown, not fetched again.
function showPage({ responseText, responseURL }) {
  const page = new DOMParser().parseFromString(responseText, "text/html");
  const main = page.querySelector("main");
  const here = document.querySelector("main");
  if (!main || !here) return location.assign(responseURL);
  here.replaceWith(main);
  if (!page.querySelector(".account-name")) document.querySelector(".topbar").replaceWith(page.querySelector(".topbar")); // signed out
  document.title = page.title;
  document.body.className = page.body.className;
  if (responseURL !== location.href) history.pushState(null, "", responseURL);
  addScripts(page);
  window.htmx?.process(main);
  setUp(main);
  window.scrollTo(0, 0);
  return main.focus();
}

function addScripts(page) {
  const here = new Set([...document.scripts].map((script) => script.src));
  for (const { attributes, src } of page.querySelectorAll("script[src]")) {
    if (here.has(src)) continue;
    const script = document.createElement("script");
    for (const { name, value } of attributes) script.setAttribute(name, value);
    document.body.append(script);
  }
}

function setUp(root) {
  for (const form of root.querySelectorAll("form[data-upload]")) form.addEventListener("submit", (event) => upload(form, event));
}

window.addEventListener("popstate", () => location.reload());
setUp(document);
