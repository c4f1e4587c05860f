// Draws a report's chart from its data island. The table below it holds the same numbers, so nothing is lost
// without this file. The island: {"labels": ["2026-01-31", …], "series": [{"label": "…", "values": [1, …]}, …]}.
(function () {
  "use strict";

  const TONES = ["--accent", "--s-exhausted", "--s-revived", "--s-pending", "--s-quarantined", "--s-succeeded"];
  const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 4], [12, 4]];

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
    return Object.assign({ stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } }, extra);
  }

  function draw(place) {
    const data = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    if (!data || !data.labels || !data.labels.length) return;
    const days = data.labels.every((label) => /^\d{4}-\d{2}-\d{2}/.test(label));
    const x = days ? data.labels.map((label) => Date.parse(label) / 1000) : data.labels.map((label, i) => i);
    const series = data.series.map((one, i) => ({
      label: one.label, stroke: colour(TONES[i % TONES.length]), width: 2, dash: DASHES[i % DASHES.length], points: { show: x.length < 40 },
    }));
    place.replaceChildren();
    const options = {
      width: place.clientWidth, height: 260, series: [{ label: "", value: (plot, at) => at == null ? "" : days ? new Date(at * 1000).toISOString().slice(0, 10) : data.labels[at] }].concat(series),
      tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"), scales: { x: { time: days } },
      axes: [days ? axis({ values: (plot, at) => at.map((second) => new Date(second * 1000).toISOString().slice(5, 10)) }) : axis({ values: (plot, at) => at.map((i) => data.labels[i] || "") }), axis({ size: 64 })],
    };
    return new uPlot(options, [x].concat(data.series.map((one) => one.values)), place);
  }

  document.querySelectorAll("[data-chart]").forEach((place) => {
    let plot = draw(place);
    if (!plot) return;
    addEventListener("resize", () => plot.setSize({ width: place.clientWidth, height: 260 }));
    const redraw = () => { plot.destroy(); plot = draw(place); };
    document.addEventListener("themechange", redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  });
})();
