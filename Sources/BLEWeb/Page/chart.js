// Lines of numbers over time.

import {element} from "./dom.js";

// The points of a line through strengths in dBm, one for each second; null is a gap.
export function points(strengths, width, height) {
  const found = [];
  const step = width / Math.max(59, strengths.length - 1);
  strengths.forEach((rssi, index) => {
    if (rssi === null) return;
    const part = Math.min(1, Math.max(0, (rssi + 100) / 70));
    found.push(`${(index * step).toFixed(1)},${(height - 1 - part * (height - 2)).toFixed(1)}`);
  });
  return found.join(" ");
}

// A chart of numbers with their least and their greatest one. `set(numbers)` draws it.
export function chart(label) {
  const line = element("polyline");
  const [top, bottom] = [element("text", {x: 2, y: 11}), element("text", {x: 2, y: 78})];
  const svg = element("svg", {class: "chart", viewBox: "0 0 320 82", role: "img", "aria-label": label}, line, top, bottom);
  svg.toggleAttribute("hidden", true);
  return {
    element: svg,
    set(numbers, unit = "") {
      svg.toggleAttribute("hidden", numbers.length < 2);
      if (numbers.length < 2) return;
      const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
      const span = greatest - least || 1;
      line.setAttribute("points", numbers.map((number, index) =>
        `${(index * 320 / (numbers.length - 1)).toFixed(1)},${(78 - (number - least) / span * 74).toFixed(1)}`).join(" "));
      top.textContent = `${greatest}${unit}`;
      bottom.textContent = `${least}${unit}`;
      svg.setAttribute("aria-label", `${label}: ${least}${unit} – ${greatest}${unit}`);
    },
  };
}
