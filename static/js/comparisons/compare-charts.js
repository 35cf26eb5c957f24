// The differences as bars and the values as points, worst first. Each chart moves by arrow keys, says its point below
// itself, opens the point's evidence, and can be saved. The table needs none of it.
import { chartColors } from "./chart-colors.js";
import { describe, OPTIONS } from "./chart-options.js";

// Up and down in the scatter walk along the same order as left and right, so that no point is out of reach.
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: 10, PageUp: -10 };

const { echarts } = window; // no module: 1 MB that other pages share
const place = document.querySelector("[data-compared]");
class Chart {
  at = -1;

  constructor(figure, data) {
    this.figure = figure;
    this.data = data;
    this.element = figure.querySelector("[data-chart]");
    this.kind = this.element.dataset.chart;
    this.chart = echarts.init(this.element, null, { renderer: "svg" });
  }

  start() {
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.chart.on("click", ({ dataIndex, componentType }) => componentType === "series" && this.open(dataIndex));
    for (const button of this.figure.querySelectorAll("[data-save]")) {
      button.addEventListener("click", () => this.save(button.dataset.save));
    }
    new ResizeObserver(() => this.chart.resize()).observe(this.element);
    document.addEventListener("touchstone:theme", () => this.draw());
    this.draw();
  }

  options(color) {
    return OPTIONS[this.kind](this.data, color, getComputedStyle(document.body).fontFamily);
  }

  draw() {
    this.chart.setOption(this.options(chartColors()), true);
    if (this.at >= 0) this.chart.dispatchAction({ type: "highlight", seriesIndex: 0, dataIndex: this.at });
  }

  press(event) {
    const { length } = this.data.points;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in STEPS) this.go(this.at < 0 ? 0 : this.at + STEPS[event.key]);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(length - 1);
    else if (event.key === "Enter" && this.at >= 0) this.open(this.at);
    else return;
    event.preventDefault();
  }

  go(index) {
    const { length } = this.data.points;
    const act = (type) => this.chart.dispatchAction({ type, seriesIndex: 0, dataIndex: this.at });
    this.chart.dispatchAction({ type: "downplay", seriesIndex: 0 });
    this.at = Math.min(Math.max(index, 0), length - 1);
    act("highlight");
    act("showTip");
    this.figure.querySelector("[data-said]").textContent = `${describe(this.data, this.at)}. ${this.at + 1} of ${length}.`;
  }

  open(index) {
    const [path] = place.dataset.address.split("/0/");
    location.assign(`${path}/${this.data.points[index][0]}/${location.search}`);
  }

  // A picture stands on paper of its own; PNG has twice the pixels, for print.
  save(format) {
    const { clientWidth: width, clientHeight: height } = this.element;
    const stage = document.createElement("div");
    stage.style.width = `${width}px`;
    stage.style.height = `${height}px`;
    const renderer = format === "svg" ? "svg" : "canvas";
    const chart = echarts.init(stage, null, { renderer, width, height });
    const color = chartColors();
    chart.setOption({ ...this.options(color), backgroundColor: color.paper });
    const name = `${this.data.candidate} beside ${this.data.baseline}, ${this.kind}.${format}`;
    if (format === "svg") {
      const url = URL.createObjectURL(new Blob([chart.renderToSVGString()], { type: "image/svg+xml" }));
      download(url, name);
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    } else {
      download(chart.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: color.paper }), name);
    }
    chart.dispose();
  }
}

function download(url, name) {
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
}

if (place && echarts) {
  const data = JSON.parse(document.getElementById(place.dataset.compared).textContent);
  place.hidden = false;
  for (const figure of place.querySelectorAll("figure")) new Chart(figure, data).start();
}
