// Marks a document in every ranking of the page while somebody points at it or moves the focus to it, and shows what is known of it.
// The last one stays marked, so that the pointer can go on to its links. Without this script the rows say it all.
const named = (name) => [...document.querySelectorAll("[data-rankings] [data-document]")].filter((one) => one.dataset.document === name);

function light(row) {
  const name = row.dataset.document;
  for (const lit of document.querySelectorAll("[data-rankings] .is-lit")) lit.classList.remove("is-lit");
  for (const one of named(name)) one.classList.add("is-lit");
  const facts = row.querySelector("[data-facts]");
  if (facts) row.closest("[data-rankings]").querySelector("[data-lit]")?.replaceChildren(facts.cloneNode(true));
}

export function followDocuments() {
  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, ({ target }) => {
      const row = target instanceof Element ? target.closest("[data-rankings] [data-document]") : null;
      if (row && !row.classList.contains("is-lit")) light(row);
    });
  }
}
