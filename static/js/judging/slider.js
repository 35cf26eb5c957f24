// On a continuous scale a slider and a box show one value; neither has one until the rater chooses.
import { nearest, STEPS, stepped } from "./steps.js";

const scaleOf = ({ min, max, dataset }) => ({ low: Number(min), high: Number(max), step: dataset.stepSize });

function controlsIn(parent) {
  const slider = parent?.querySelector("[data-slider]");
  return slider ? { slider, box: parent.querySelector("[data-number]") } : null;
}
const controlsOf = (target) => controlsIn(target.closest?.(".grade-slider"));

function draw({ slider, box }) {
  const unset = box.value === "";
  slider.classList.toggle("unset", unset);
  slider.setAttribute("aria-valuetext", unset ? "no grade yet" : box.value);
  if (!unset) slider.value = box.value;
}
function set(controls, value) {
  controls.box.value = String(value);
  draw(controls);
}

export function showSliders(card) {
  for (const slider of card.querySelectorAll("[data-slider]")) {
    slider.hidden = false;
    draw(controlsIn(slider.parentElement));
  }
}

export function moveSlider(card, key) {
  const controls = controlsIn(card);
  if (!controls) return false;
  controls.slider.focus();
  set(controls, stepped(controls.box.value, STEPS[key], scaleOf(controls.slider)));
  return true;
}

function press(event) {
  const controls = controlsOf(event.target);
  if (!controls || event.ctrlKey || event.altKey || event.metaKey) return;
  const { slider, box } = controls;
  const inBox = event.target === box;
  const { low, high } = scaleOf(slider);
  if (event.key === "Enter") {
    if (!event.repeat) event.target.form.querySelector("[data-submit]").click();
  } else if (event.key in STEPS && !(inBox && /Left|Right/.test(event.key))) {
    set(controls, stepped(box.value, STEPS[event.key], scaleOf(slider)));
  } else if (!inBox && event.key === "Home") set(controls, low);
  else if (!inBox && event.key === "End") set(controls, high);
  else return;
  event.preventDefault();
}

export function listenToSliders() {
  document.addEventListener("keydown", press);
  document.addEventListener("input", ({ target }) => {
    const controls = controlsOf(target);
    if (!controls) return;
    const { slider, box } = controls;
    if (target === slider) box.value = String(nearest(Number(slider.value), scaleOf(slider)));
    draw(controls);
  });
}
