// A form that was refused comes back as a whole page, and its first problem may be far below what a phone shows.
const problem = document.querySelector("main form .errorlist");

if (problem) {
  const field = problem.closest(".field, fieldset")?.querySelector("input:not([type=hidden]), select, textarea");
  for (let fold = problem.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (field) field.focus({ preventScroll: true });
  problem.scrollIntoView({ block: "center" });
}
