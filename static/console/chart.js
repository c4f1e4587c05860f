// Draws a report's chart from its data island. The table below it holds the same numbers, so nothing is lost
// without this file. The island: {"labels": ["2026-01-31", …], "kind": "count", "series": [{"label": "…",
// "values": [1, …]}, …]}.
import { figure, mark } from "./modules/figures.js";
import { all } from "./modules/page.js";

const TONES = ["--accent", "--s-exhausted", "--s-revived", "--s-pending"];
const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3]];
const NARROW = 640;

/** A token's colour as the canvas wants it: light-dark() resolved for the theme of this moment. */
function colour(token) {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function axis(extra) {
  const line = { stroke: colour("--line"), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return { stroke: colour("--muted"), font, grid: line, ticks: line, ...extra };
}

const day = (second) => new Date(second * 1000).toISOString().slice(0, 10);

const lines = (data) => data.series.map((series, i) => ({
  label: series.label,
  stroke: colour(TONES[i % TONES.length]),
  width: 2,
  dash: DASHES[i % DASHES.length],
  points: { show: data.labels.length < 40, size: 5 },
  value: (plot, value) => figure(value, data.kind),
}));

/** What is counted starts at nothing; a mean may lie below it. */
function range(kind, low, high) {
  const from = /count|sum/.test(kind) ? Math.min(low, 0) : low;
  return uPlot.rangeNum(from, high, 0.1, true);
}

const LETTER = 7; // pixels, of 12px digits
/** As wide as the longest mark: 2,000,000 needs more than 60 pixels. */
const breadth = (isNarrow) => (plot, marks) =>
  Math.max(isNarrow ? 48 : 60, 20 + LETTER * Math.max(0, ...(marks ?? []).map((each) => each.length)));

// between two days there is nothing: no mark says the same one twice
const WHOLE_DAYS = [1, 2, 5, 7, 14, 30, 60, 90, 180, 365, 730, 1825].map((days) => days * 86_400);

const axes = (data, isNarrow) => [
  axis({ space: 56, incrs: WHOLE_DAYS, values: (plot, at) => at.map((second) => day(second).slice(5)) }),
  axis({
    size: breadth(isNarrow),
    values: (plot, at, i, space, step) => at.map((value) => mark(value, data.kind, step)),
  }),
];

const showNewest = (plot) => plot.setLegend({ idx: plot.data[0].length - 1 });

function showNewestUnlessPointedAt(plot) {
  if (plot.cursor.idx === null || plot.cursor.idx === undefined) showNewest(plot);
}

function optionsOf(data, width) {
  const isNarrow = width < NARROW;
  return {
    width,
    height: isNarrow ? 220 : 280,
    series: [{ label: "Day", value: (plot, at) => (Number.isFinite(at) ? day(at) : "–") }, ...lines(data)],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
    scales: { x: { time: true }, y: { range: (plot, low, high) => range(data.kind, low, high) } },
    padding: [8, 16, 0, 0],
    // the newest day's figures until the pointer asks for others
    hooks: { ready: [showNewest], setCursor: [showNewestUnlessPointedAt] },
    axes: axes(data, isNarrow),
  };
}

function draw(place) {
  const data = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  if (!data.labels.length) return null;
  place.replaceChildren();
  const days = data.labels.map((label) => Date.parse(label) / 1000);
  const values = data.series.map((series) => series.values);
  return new uPlot(optionsOf(data, place.clientWidth), [days, ...values], place);
}

function keepDrawn(place) {
  let plot = draw(place);
  if (!plot) return;
  const redraw = () => {
    plot.destroy();
    plot = draw(place);
  };
  addEventListener("resize", () => plot.width !== place.clientWidth && redraw());
  document.addEventListener("themechange", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

all("[data-chart]").forEach(keepDrawn);
