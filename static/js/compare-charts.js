// The differences as bars and the values as points. Data: [id, name, baseline, run, difference], worst first. Each chart
// moves by arrow keys, says its point below itself, opens the point's evidence, and can be saved. The table needs none of it.
(function () {
  "use strict";

  const place = document.querySelector("[data-compared]");
  if (!place || !window.echarts) return;
  const data = JSON.parse(document.getElementById(place.dataset.compared).textContent);
  const points = data.points;
  const order = data.ranks ? "worst first" : "lowest first";
  const kinds = data.ranks ? { won: "won", lost: "lost", tied: "tied" } : { won: "higher", lost: "lower", tied: "the same" };
  const number = (value) => value.toFixed(4);
  const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(4);
  const kindOf = (difference) => (difference > 0 ? "won" : difference < 0 ? "lost" : "tied");

  function words(index) {
    const [, name, old, now, difference] = points[index];
    return `${name}: ${number(old)} with ${data.baseline}, ${number(now)} with ${data.candidate}, ${signed(difference)} (${kinds[kindOf(difference)]})`;
  }

  function open(index) {
    const [path] = place.dataset.address.split("/0/").slice(0, 1);
    window.location.assign(`${path}/${points[index][0]}/${window.location.search}`);
  }

  function colors() {
    const color = (name) => window.touchstone.color(name);
    return { ink: color("--ink-2"), line: color("--line"), axis: color("--line-control"), paper: color("--paper"), won: color("--chart-1"), lost: color("--chart-2"), tied: color("--chart-3"), lit: color("--ink") };
  }

  function axis(color, name, more) {
    return {
      name,
      nameLocation: "middle",
      nameTextStyle: { color: color.ink },
      axisLabel: { color: color.ink, formatter: (value) => String(value).replace("-", "−") },
      axisLine: { lineStyle: { color: color.axis } },
      axisTick: { lineStyle: { color: color.axis } },
      splitLine: { lineStyle: { color: color.line } },
      ...more,
    };
  }

  function common(color) {
    return {
      animation: false,
      backgroundColor: "transparent",
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      grid: { left: 60, right: 16, top: 16, bottom: 44 },
      // Rich text is drawn, not written as HTML with style attributes, which the Content-Security-Policy refuses.
      tooltip: { renderMode: "richText", confine: true, backgroundColor: color.paper, borderColor: color.axis, textStyle: { color: color.lit, fontSize: 13 }, formatter: ({ dataIndex }) => said(dataIndex) },
    };
  }

  const short = (name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);
  const said = (index) => {
    const [, name, old, now, difference] = points[index];
    return `${short(name)}\n${number(old)} → ${number(now)} (${signed(difference)})`;
  };

  const options = {
    bars(color) {
      return {
        ...common(color),
        xAxis: axis(color, `queries, ${order}`, { type: "category", data: points.map((_, index) => index + 1), nameGap: 26, splitLine: { show: false }, axisLine: { onZero: false, lineStyle: { color: color.axis } } }),
        yAxis: axis(color, "difference", { type: "value", nameGap: 44 }),
        series: [
          {
            type: "bar",
            barCategoryGap: points.length > 200 ? "0%" : "20%",
            emphasis: { itemStyle: { color: color.lit } },
            data: points.map(([, , , , difference]) => ({ value: difference, itemStyle: { color: color[kindOf(difference)] } })),
          },
        ],
      };
    },
    scatter(color) {
      const values = points.flatMap(([, , old, now]) => [old, now]);
      const most = Math.max(1, ...values);
      return {
        ...common(color),
        xAxis: axis(color, short(data.baseline), { type: "value", min: 0, max: most, nameGap: 26 }),
        yAxis: axis(color, short(data.candidate), { type: "value", min: 0, max: most, nameGap: 40 }),
        series: [
          {
            type: "scatter",
            symbolSize: 9,
            emphasis: { itemStyle: { color: color.lit, opacity: 1 }, scale: 1.6 },
            data: points.map(([, , old, now, difference]) => ({ value: [old, now], symbol: difference > 0 ? "triangle" : difference < 0 ? "diamond" : "circle", itemStyle: { color: color[kindOf(difference)], opacity: 0.75 } })),
            markLine: { silent: true, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: color.axis, type: "dashed" }, data: [[{ coord: [0, 0] }, { coord: [most, most] }]] },
          },
        ],
      };
    },
  };

  function download(url, name) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }

  // A picture stands on paper of its own; PNG has twice the pixels, for print.
  function save(element, kind, format) {
    const stage = document.createElement("div");
    stage.style.width = `${element.clientWidth}px`;
    stage.style.height = `${element.clientHeight}px`;
    const renderer = format === "svg" ? "svg" : "canvas";
    const chart = window.echarts.init(stage, null, { renderer, width: element.clientWidth, height: element.clientHeight });
    const color = colors();
    chart.setOption({ ...options[kind](color), backgroundColor: color.paper });
    const name = `${data.candidate} beside ${data.baseline}, ${kind}.${format}`;
    if (format === "svg") {
      const url = URL.createObjectURL(new Blob([chart.renderToSVGString()], { type: "image/svg+xml" }));
      download(url, name);
      setTimeout(() => URL.revokeObjectURL(url), 1000);
    } else {
      download(chart.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: color.paper }), name);
    }
    chart.dispose();
  }

  function start(figure) {
    const element = figure.querySelector("[data-chart]");
    const kind = element.dataset.chart;
    const told = figure.querySelector("[data-said]");
    const chart = window.echarts.init(element, null, { renderer: "svg" });
    // Up and down in the scatter walk along the same order as left and right, so that no point is out of reach.
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageDown: 10, PageUp: -10 };
    let at = -1;

    function draw() {
      chart.setOption(options[kind](colors()), true);
      if (at >= 0) chart.dispatchAction({ type: "highlight", seriesIndex: 0, dataIndex: at });
    }
    function go(index) {
      chart.dispatchAction({ type: "downplay", seriesIndex: 0 });
      at = Math.min(Math.max(index, 0), points.length - 1);
      chart.dispatchAction({ type: "highlight", seriesIndex: 0, dataIndex: at });
      chart.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: at });
      told.textContent = `${words(at)}. ${at + 1} of ${points.length}.`;
    }

    element.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key in steps) go(at < 0 ? 0 : at + steps[event.key]);
      else if (event.key === "Home") go(0);
      else if (event.key === "End") go(points.length - 1);
      else if (event.key === "Enter" && at >= 0) open(at);
      else return;
      event.preventDefault();
    });
    chart.on("click", ({ dataIndex, componentType }) => {
      if (componentType === "series") open(dataIndex);
    });
    for (const button of figure.querySelectorAll("[data-save]")) {
      button.addEventListener("click", () => save(element, kind, button.dataset.save));
    }
    new ResizeObserver(() => chart.resize()).observe(element);
    document.addEventListener("touchstone:theme", draw);
    draw();
  }

  place.hidden = false;
  for (const figure of place.querySelectorAll("figure")) start(figure);
})();
