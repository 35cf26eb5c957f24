// Buttons that copy the text of a field. Without it the field can be selected.
function setUp(button) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy"); // plain HTTP has no clipboard
    }
    button.textContent = "Copied";
  });
}

const setUpAll = () => document.querySelectorAll("[data-copy][hidden]").forEach(setUp);

setUpAll();
document.addEventListener("htmx:afterSettle", setUpAll);
