// Explanations of column heads and figures open by themselves while the pointer rests on them. A press on “?” opens them without this.
const OPEN_AFTER = 400;
const CLOSE_AFTER = 250;

let [open, timer] = [null, 0];

const cardOf = (button) => document.getElementById(button.getAttribute("popovertarget"));

function later(act, delay) {
  clearTimeout(timer);
  timer = setTimeout(act, delay);
}

function show(button) {
  const card = cardOf(button);
  if (!card?.isConnected || card.matches(":popover-open")) return;
  card.showPopover({ source: button });
  open = card;
}

function hide() {
  if (open?.isConnected && open.matches(":popover-open")) open.hidePopover();
  open = null;
}

// A finger presses, it does not rest. Beside an open explanation that was pressed for nothing happens.
document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse" || !(event.target instanceof Element)) return;
  if (event.target.closest(".about-card")) {
    clearTimeout(timer);
    return;
  }
  const button = event.target.closest(":is(th, dt):has(> .about)")?.querySelector(":scope > .about");
  if (button && cardOf(button) !== open) later(() => show(button), OPEN_AFTER);
  else if (button) clearTimeout(timer);
  else if (open) later(hide, CLOSE_AFTER);
  else clearTimeout(timer);
});
