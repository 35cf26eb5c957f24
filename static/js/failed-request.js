// A part of a page that couldn't be fetched: the page still shows what was there before, beside a choice that says
// otherwise. It is told where the choice was made, and what asks again by itself stays silent.
const NOTICE = "not-updated";

const removeNotices = () => document.querySelectorAll(`.${NOTICE}`).forEach((notice) => notice.remove());

function tell(asking, why) {
  if (asking.matches("[hx-trigger^='every']")) return;
  removeNotices();
  const notice = document.createElement("div");
  notice.className = `notice notice-error ${NOTICE}`;
  notice.setAttribute("role", "alert");
  const words = document.createElement("p");
  const verdict = document.createElement("strong");
  verdict.textContent = "Not updated:";
  words.append(verdict, ` ${why} This page still shows what was there before. `);
  const form = asking.closest("form");
  if (form) {
    const again = document.createElement("button");
    again.type = "button";
    again.className = "btn btn-quiet btn-small";
    again.textContent = "Try again";
    again.addEventListener("click", () => form.requestSubmit());
    words.append(again);
  }
  notice.append(words);
  (form ?? asking).before(notice);
}

for (const kind of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(kind, (event) => tell(event.detail.elt, "The site can’t be reached."));
}
document.addEventListener("htmx:responseError", (event) => {
  const { elt, xhr } = event.detail;
  if (xhr.status >= 500 || xhr.status === 429) tell(elt, `The site couldn’t answer (error ${xhr.status}).`);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) removeNotices();
});
