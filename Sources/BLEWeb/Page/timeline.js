// The strengths of several devices on one time line: lines that are told apart by number and by dashes, and the same as a table.

import {button, element, foreign, inert, setText} from "./dom.js";
import {kept} from "./kept.js";
import {samples} from "./strengths.js";
import {state} from "./live.js";
import {t} from "./words.js";

// A line of dashes for each place; colours repeat what the dashes say.
const DASHES = ["", "6 3", "2 2", "10 3 2 3", "12 4", "1 4"];
const SECONDS = 60;
const [HEIGHT, LEFT, RIGHT] = [200, 34, 18];
const [LEAST, GREATEST] = [-100, -30];
// A line is interrupted where the device was not heard for longer, in seconds.
const LONGEST_GAP = 3;

// The number of each device on the line, by its identifier.
const slots = new Map(kept.get("time line", []).filter((one) => Array.isArray(one) && DASHES[one[1] - 1] !== undefined));

export function slot(identifier) { return slots.get(identifier); }

// Puts a device on the line, or takes it away.
export function toggleOnTimeline(identifier) {
  if (!slots.delete(identifier)) {
    const free = DASHES.findIndex((_, index) => ![...slots.values()].includes(index + 1));
    if (free < 0) throw new Error(`${t("Devices on the time line, at most:")} ${DASHES.length}`);
    slots.set(identifier, free + 1);
  }
  kept.set("time line", [...slots]);
}

// As wide as it is on the screen, so that its texts have their size: a pixel for each unit.
let width = 640;
const across = (second, end) => LEFT + (second - (end - SECONDS + 1)) / (SECONDS - 1) * (width - LEFT - RIGHT);
const down = (rssi) => 6 + (GREATEST - Math.min(GREATEST, Math.max(LEAST, rssi))) / (GREATEST - LEAST) * (HEIGHT - 26);
const name = (device) => inert(device.name ?? device.address ?? device.identifier);

function grid() {
  const levels = [-40, -60, -80, -100].map((rssi) => element("g", {},
    element("line", {x1: LEFT, x2: width - RIGHT, y1: down(rssi), y2: down(rssi)}), element("text", {x: 2, y: down(rssi) + 3}, String(rssi))));
  return [...levels, element("text", {x: LEFT, y: HEIGHT - 4}, `−${SECONDS} s`), element("text", {x: width - RIGHT - 14, y: HEIGHT - 4}, "0 s")];
}

// The parts of a line between interruptions.
function parts(found, end) {
  const all = [];
  let before = null;
  for (const [second, rssi] of found) {
    if (before === null || second - before > LONGEST_GAP) all.push([]);
    all.at(-1).push(`${across(second, end).toFixed(1)},${down(rssi).toFixed(1)}`);
    before = second;
  }
  // A single point is a short line, so that it is seen.
  return all.map((points) => points.length > 1 ? points.join(" ") : `${points[0]} ${points[0].replace(/^[\d.]+/, (x) => Number(x) + 2)}`);
}

export function timelineView(changed) {
  const [levels, lines] = [element("g"), element("g")];
  const chart = element("svg", {class: "chart timeline", role: "img"}, levels, lines);
  const legend = element("ul", {class: "plain legend"});
  const body = element("div", {class: "scrolls", tabindex: "0", role: "region", "aria-label": t("Strengths as a table")});
  const asTable = element("details", {}, element("summary", {}, t("Strengths as a table")), body);
  const whole = element("section", {"aria-label": t("Time line")}, element("h3", {}, t("Time line")), chart, legend, asTable);
  let [drawn, revision, isFirst] = [0, -1, slots.size === 0];
  const entries = new Map();
  asTable.addEventListener("toggle", () => { revision = -1; changed(); });

  // Kept for as long as the device is on the line: its button keeps the focus.
  function entry(identifier, number) {
    const [called, strength] = [element("span"), element("span", {class: "number"})];
    const remove = button("×", () => { toggleOnTimeline(identifier); changed(); });
    const sample = element("svg", {class: "sample", viewBox: "0 0 40 10", "aria-hidden": "true"},
      element("polyline", {points: "0,5 40,5", class: `line${number}`, "stroke-dasharray": DASHES[number - 1]}));
    return {item: element("li", {}, element("b", {}, String(number)), sample, called, strength, remove), called, strength, remove, shown: null};
  }

  function drawLegend(devices) {
    for (const [identifier, one] of entries) {
      if (slots.get(identifier) === one.number) continue;
      one.item.remove();
      entries.delete(identifier);
    }
    for (const {identifier, number, device} of devices) {
      if (!entries.has(identifier)) {
        entries.set(identifier, {...entry(identifier, number), number});
        legend.append(entries.get(identifier).item);
      }
      const one = entries.get(identifier);
      const text = device?.name ?? device?.address ?? identifier;
      if (one.shown !== text) {
        one.shown = text;
        one.called.replaceChildren(foreign(text));
        one.remove.setAttribute("aria-label", `${t("Take from the time line")}: ${inert(text)}`);
      }
      setText(one.strength, !device ? t("not heard") : device.rssi === null ? "–" : `${device.rssi} dBm`);
    }
  }

  function fit() {
    const wanted = Math.round(chart.clientWidth) || width;
    if (wanted === width && levels.childElementCount) return;
    width = wanted;
    chart.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    levels.replaceChildren(...grid());
  }

  function drawChart(heard, end) {
    fit();
    const ends = [];
    lines.replaceChildren(...heard.map(({number, found}) => {
      const last = found.at(-1);
      const label = element("text", {class: `label${number}`, x: across(last[0], end) + 4}, String(number));
      ends.push({label, y: down(last[1]) + 3});
      return element("g", {}, parts(found, end).map((points) =>
        element("polyline", {points, class: `line${number}`, "stroke-dasharray": DASHES[number - 1]})), label);
    }));
    // Numbers of lines that end together stand below one another.
    let lowest = 0;
    for (const one of ends.sort((a, b) => a.y - b.y)) {
      lowest = Math.max(one.y, lowest + 11);
      one.label.setAttribute("y", lowest.toFixed(1));
    }
    chart.setAttribute("aria-label", [t("Strength"), ...heard.map(({number, device, found}) => {
      const all = found.map(([, rssi]) => rssi);
      return `${number} ${name(device)}: ${Math.min(...all)} – ${Math.max(...all)} dBm`;
    })].join("; "));
  }

  function drawTable(heard, end) {
    const bySecond = heard.map(({found}) => new Map(found));
    const seconds = Array.from({length: SECONDS}, (_, index) => end - index).filter((second) => bySecond.some((one) => one.has(second)));
    body.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, element("th", {scope: "col"}, t("Seconds ago")),
      heard.map(({number, device}) => element("th", {scope: "col"}, `${number} `, foreign(name(device)), " (dBm)")))),
    element("tbody", {}, seconds.map((second) => element("tr", {}, element("th", {scope: "row"}, String(end - second)),
      bySecond.map((one) => element("td", {class: "number"}, one.has(second) ? String(one.get(second)) : "–")))))));
  }

  return {
    element: whole,
    // Four times a second at most, however many events come.
    draw(isStale) {
      whole.hidden = slots.size === 0;
      if (whole.hidden) {
        isFirst = true;
        return;
      }
      if (!isStale && (revision === state.revision || performance.now() - drawn < 250)) return;
      [drawn, revision] = [performance.now(), state.revision];
      const devices = [...slots].map(([identifier, number]) => ({identifier, number, device: state.devices.get(identifier)}))
        .sort((one, other) => one.number - other.number);
      drawLegend(devices);
      // All end at the same moment: the last second in which one of them was heard, so that what is silent falls behind.
      const heard = devices.filter(({device}) => device).map((one) => ({...one, found: samples(one.device)})).filter(({found}) => found.length);
      const end = Math.max(...heard.map(({found}) => found.at(-1)[0]));
      const inSight = heard.map((one) => ({...one, found: one.found.filter(([second]) => second > end - SECONDS)})).filter(({found}) => found.length);
      drawChart(inSight, end);
      if (asTable.open) drawTable(inSight, end);
      if (isFirst) whole.scrollIntoView({block: "nearest"});
      isFirst = false;
    },
  };
}
