// What echarts is to draw of a comparison: its differences as bars, its values as points. Nothing here touches the page.
// `data` has {points, ranks, baseline, candidate}; a point is [id, name, baseline's value, run's value, difference].
const SYMBOLS = { won: "triangle", lost: "diamond", tied: "circle" };

export const number = (value) => value.toFixed(4);
export const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(4);
const shorten = (name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);
export const outcome = (difference) => (difference > 0 ? "won" : difference < 0 ? "lost" : "tied");

// A point in words, for the line below the chart.
export function describe({ points, ranks, baseline, candidate }, index) {
  const names = ranks ? { won: "won", lost: "lost", tied: "tied" } : { won: "higher", lost: "lower", tied: "the same" };
  const [, name, old, now, difference] = points[index];
  const values = `${number(old)} with ${baseline}, ${number(now)} with ${candidate}`;
  return `${name}: ${values}, ${signed(difference)} (${names[outcome(difference)]})`;
}

export const OPTIONS = { bars, scatter };

function bars(data, color, font) {
  const { points, ranks } = data;
  const order = ranks ? "worst first" : "lowest first";
  return {
    ...common(data, color, font),
    xAxis: axis(color, `queries, ${order}`, {
      type: "category",
      data: points.map((_, index) => index + 1),
      nameGap: 26,
      splitLine: { show: false },
      axisLine: { onZero: false, lineStyle: { color: color.axis } },
    }),
    yAxis: axis(color, "difference", { type: "value", nameGap: 44 }),
    series: [
      {
        type: "bar",
        barCategoryGap: points.length > 200 ? "0%" : "20%",
        emphasis: { itemStyle: { color: color.lit } },
        data: points.map(([, , , , difference]) => ({ value: difference, itemStyle: { color: color[outcome(difference)] } })),
      },
    ],
  };
}

function scatter(data, color, font) {
  const { points, baseline, candidate } = data;
  const most = Math.max(1, ...points.flatMap(([, , old, now]) => [old, now]));
  return {
    ...common(data, color, font),
    xAxis: axis(color, shorten(baseline), { type: "value", min: 0, max: most, nameGap: 26 }),
    yAxis: axis(color, shorten(candidate), { type: "value", min: 0, max: most, nameGap: 40 }),
    series: [
      {
        type: "scatter",
        symbolSize: 9,
        emphasis: { itemStyle: { color: color.lit, opacity: 1 }, scale: 1.6 },
        data: points.map(([, , old, now, difference]) => ({
          value: [old, now],
          symbol: SYMBOLS[outcome(difference)],
          itemStyle: { color: color[outcome(difference)], opacity: 0.75 },
        })),
        markLine: diagonal(color, most),
      },
    ],
  };
}

function diagonal(color, most) {
  return {
    silent: true,
    symbol: "none",
    animation: false,
    label: { show: false },
    lineStyle: { color: color.axis, type: "dashed" },
    data: [[{ coord: [0, 0] }, { coord: [most, most] }]],
  };
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

function common({ points }, color, fontFamily) {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily },
    grid: { left: 60, right: 16, top: 16, bottom: 44 },
    // Rich text is drawn, not written as HTML with style attributes, which the Content-Security-Policy refuses.
    tooltip: {
      renderMode: "richText",
      confine: true,
      backgroundColor: color.paper,
      borderColor: color.axis,
      textStyle: { color: color.lit, fontSize: 13 },
      formatter({ dataIndex }) {
        const [, name, old, now, difference] = points[dataIndex];
        return `${shorten(name)}\n${number(old)} → ${number(now)} (${signed(difference)})`;
      },
    },
  };
}
