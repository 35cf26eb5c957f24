// The colors of the theme as the browser computes them: charts cannot read "light-dark(…)".
const NAMES = {
  ink: "--ink-2",
  line: "--line",
  axis: "--line-control",
  paper: "--paper",
  won: "--chart-1",
  lost: "--chart-2",
  tied: "--chart-3",
  lit: "--ink",
};

export const chartColors = () => Object.fromEntries(Object.entries(NAMES).map(([use, name]) => [use, computed(name)]));

function computed(name) {
  const probe = document.createElement("i");
  probe.hidden = true;
  probe.style.color = `var(${name})`;
  document.documentElement.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
