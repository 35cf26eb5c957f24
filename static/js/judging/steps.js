// Where a slider goes: to whole steps, without the dust of binary fractions (0.30000000000000004 is 0.3).
export const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };

const MOST_DIGITS = 20;
const digitsOf = (text) => (text.split(".")[1] ?? "").length;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// The nearest step to a value. `scale` is {low, high, step}, the step as it is written.
export function nearest(value, { low, high, step }) {
  const steps = Math.round((value - low) / Number(step));
  const near = Number((low + steps * Number(step)).toFixed(Math.min(digitsOf(step) + 2, MOST_DIGITS)));
  return clamp(near, low, high);
}

// So many steps on from what the box says; from an empty one to the end of the scale.
export function stepped(text, steps, { low, high, step }) {
  const size = Number(step);
  const from = text === "" ? (steps > 0 ? low - size : high + size) : Number(text);
  const digits = Math.min(Math.max(digitsOf(text), digitsOf(step)), MOST_DIGITS);
  return clamp(Number((from + steps * size).toFixed(digits)), low, high);
}
