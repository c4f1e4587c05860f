// Draws a report's chart from its data island. The table below it holds the same numbers, so nothing is lost
// without this file. The island: {"labels": ["2026-01-31", …], "kind": "count", "series": [{"label": "…",
// "values": [1, …]}, …]}.
(function () {
  "use strict";

  const TONES = ["--accent", "--s-exhausted", "--s-revived", "--s-pending"];
  const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3]];
  const NARROW = 640;
  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  const tenth = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

  /** A token's colour as the canvas wants it: light-dark() resolved for the theme of this moment. */
  function colour(token) {
    const probe = document.createElement("i");
    probe.style.color = `var(${token})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  /** A figure as the table shows it. */
  function figure(value, kind) {
    if (value == null) return "–";
    if (kind === "share") return `${tenth.format(value * 100)} %`;
    return kind === "mean" || !Number.isInteger(value) ? tenth.format(value) : whole.format(value);
  }

  /** A mark of the axis: as short as its steps allow. */
  function mark(value, kind, step) {
    if (kind === "share") return `${(step < 0.01 ? tenth : whole).format(value * 100)} %`;
    return (step < 1 ? tenth : whole).format(value);
  }

  function axis(extra) {
    const line = { stroke: colour("--line"), width: 1 };
    return Object.assign({ stroke: colour("--muted"), font: `12px ${getComputedStyle(document.body).fontFamily}`, grid: line, ticks: line }, extra);
  }

  const day = (second) => new Date(second * 1000).toISOString().slice(0, 10);

  function lines(data) {
    return data.series.map((one, i) => ({
      label: one.label, stroke: colour(TONES[i % TONES.length]), width: 2, dash: DASHES[i % DASHES.length],
      points: { show: data.labels.length < 40, size: 5 }, value: (plot, value) => figure(value, data.kind),
    }));
  }

  function showNewest(plot) {
    plot.setLegend({ idx: plot.data[0].length - 1 });
  }

  function size(place) {
    return { width: place.clientWidth, height: place.clientWidth < NARROW ? 220 : 280 };
  }

  function draw(place) {
    const data = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    if (!data.labels.length) return null;
    place.replaceChildren();
    const options = Object.assign(size(place), {
      series: [{ label: "Day", value: (plot, at) => (at == null ? "–" : day(at)) }, ...lines(data)],
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
      // what is counted starts at nothing; a mean may lie below it
      scales: { x: { time: true }, y: { range: (plot, low, high) => uPlot.rangeNum(/count|sum/.test(data.kind) ? Math.min(low, 0) : low, high, 0.1, true) } },
      padding: [8, 16, 0, 0],
      // the newest day's figures until the pointer asks for others
      hooks: { ready: [showNewest], setCursor: [(plot) => { if (plot.cursor.idx == null) showNewest(plot); }] },
      axes: [
        axis({ space: 56, values: (plot, at) => at.map((second) => day(second).slice(5)) }),
        axis({ size: place.clientWidth < NARROW ? 48 : 60, values: (plot, at, i, space, step) => at.map((value) => mark(value, data.kind, step)) }),
      ],
    });
    const x = data.labels.map((label) => Date.parse(label) / 1000);
    return new uPlot(options, [x, ...data.series.map((one) => one.values)], place);
  }

  document.querySelectorAll("[data-chart]").forEach((place) => {
    let plot = draw(place);
    if (!plot) return;
    const redraw = () => { plot.destroy(); plot = draw(place); };
    addEventListener("resize", () => { if (plot.width !== place.clientWidth) redraw(); });
    document.addEventListener("themechange", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  });
})();
