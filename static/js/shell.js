// Small manners of every page: menus close, and files can be dropped. Pages work without it.
import { size } from "./bytes.js";
import { csrfToken } from "./csrf.js";
import "./page-keys.js";
import "./about.js";
import "./failed-request.js";
import "./first-problem.js";
import "./theme-switch.js";
import "./unsent-form.js";

const openMenus = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

document.addEventListener("htmx:configRequest", (event) => {
  const token = csrfToken();
  if (!token) return;
  event.detail.headers["X-CSRFToken"] = token;
  if (event.detail.parameters.csrfmiddlewaretoken) event.detail.parameters.csrfmiddlewaretoken = token;
});

const zone = (event) => (event.target instanceof Element ? event.target.closest(".drop") : null);

for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => {
    const drop = zone(event);
    if (!drop) return;
    event.preventDefault();
    drop.classList.add("dragover");
  });
}
document.addEventListener("dragleave", (event) => {
  const drop = zone(event);
  if (drop && !drop.contains(event.relatedTarget)) drop.classList.remove("dragover");
});
document.addEventListener("drop", (event) => {
  const drop = zone(event);
  if (!drop) return;
  event.preventDefault();
  drop.classList.remove("dragover");
  const input = drop.querySelector("input[type=file]");
  const dropped = [...event.dataTransfer.files];
  if (!dropped.length) return;
  const files = new DataTransfer();
  for (const file of input.multiple ? dropped : dropped.slice(0, 1)) files.items.add(file);
  input.files = files.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});
document.addEventListener("change", (event) => {
  const drop = zone(event);
  if (!drop || event.target.type !== "file") return;
  const files = [...event.target.files];
  drop.classList.toggle("filled", files.length > 0);
  const name = drop.querySelector(".drop-name");
  if (name) name.textContent = files.map((file) => `${file.name}, ${size(file.size)}`).join("; ");
});

// Where the whole page follows a choice, the choice is sent at once; without this script its button sends it.
document.addEventListener("change", (event) => {
  if (event.target.matches(".at-once")) event.target.closest("form[data-whole]")?.requestSubmit();
});

// The session has ended: the page that was asked for leads to the sign-in page and comes back from there.
document.addEventListener("htmx:responseError", (event) => {
  const { elt, xhr, pathInfo, requestConfig } = event.detail;
  if (xhr.status === 401) location.assign(requestConfig.verb === "get" ? pathInfo.finalRequestPath : location.href);
  // What a page waits for was deleted or archived meanwhile: the page itself says so.
  if ([404, 409].includes(xhr.status) && elt.matches("[hx-trigger^='every']")) location.reload();
});
