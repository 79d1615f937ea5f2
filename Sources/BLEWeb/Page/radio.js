// The simulated air as a map: devices are dragged, or moved by the arrow keys; time is stopped, stepped and hurried.

import {attempt, button, complain, element, foreign, inert, labelled, setText} from "./dom.js";
import {faultsView} from "./faults.js";
import {ask, state} from "./live.js";
import {t} from "./words.js";

// Metres in sight at first; the map grows with the farthest device.
const LEAST = 30;

// Letters on the screen are that high, in pixels, however small the map is.
const LETTERS = 12;

// Where the name of a device stands: the first place in which it covers neither another name nor a device; without one, where it covers least.
// The boxes are in units of the map, of which there are 30 from side to side: [left, top, right, bottom].
function place(width, height, {x, y}, taken) {
  const [side, middle] = [width / 2 + 0.9, height / 2];
  let best = null;
  const below = 0.7 + middle;
  const places = [[0, below], [0, -below], [side, 0], [-side, 0]];
  for (let far = 1; far <= 3; far++) {
    for (const toX of [side, -side]) places.push([toX, far * height * 0.7], [toX, -far * height * 0.7]);
    places.push([0, below + far * height * 0.7], [0, -below - far * height * 0.7]);
  }
  for (const [toX, toY] of places) {
    const box = [x + toX - width / 2, y + toY - middle, x + toX + width / 2, y + toY + middle];
    const covered = taken.reduce((sum, other) => sum + common(box, other), outside(box));
    if (!best || covered < best.covered) best = {box, toX, toY, covered};
    if (covered === 0) break;
  }
  return best;
}

function common(one, other) {
  return Math.max(0, Math.min(one[2], other[2]) - Math.max(one[0], other[0])) * Math.max(0, Math.min(one[3], other[3]) - Math.max(one[1], other[1]));
}

// A name that begins or ends beyond the map is worse than one that covers another.
function outside([left, top, right, bottom]) {
  return 100 * (Math.max(0, -15 - left) + Math.max(0, right - 15) + Math.max(0, -15 - top) + Math.max(0, bottom - 15));
}

export function radioView(main, refresh) {
  const map = element("svg", {class: "map", role: "group", "aria-label": t("Map")});
  const rows = element("tbody");
  const time = element("p", {class: "number"});
  const run = button("", () => ask("PUT", "radio", {running: !state.radio.running}));
  const milliseconds = element("input", {type: "number", min: 1, max: 60000, value: 1000});
  const step = button(t("Step"), () => ask("POST", "radio/step", {milliseconds: Number(milliseconds.value)}));
  const speed = element("input", {type: "range", min: -1, max: 2, step: 0.1, value: 0,
    onchange: attempt(() => ask("PUT", "radio", {speed: Number((10 ** speed.value).toFixed(2))}))});
  const loss = element("input", {type: "range", min: 0, max: 0.9, step: 0.05, value: 0,
    onchange: attempt(() => ask("PUT", "radio", {loss: Number(loss.value)}))});
  main.replaceChildren(element("h2", {}, t("Radio")), time,
    element("form", {class: "bar", onsubmit: (event) => event.preventDefault()}, run, labelled(t("Milliseconds"), milliseconds), step,
      labelled(t("Speed"), speed), labelled(t("Loss of packets"), loss)),
    element("p", {class: "faint"}, t("Drag a device, or move it by the arrow keys.")), map,
    element("div", {class: "scrolls", tabindex: "0", role: "region", "aria-label": t("Devices")},
      element("table", {}, element("thead", {}, element("tr", {}, ["Name", "Distance", "Power"].map((name) =>
        element("th", {scope: "col"}, t(name))), element("th", {scope: "col"}, t("What it is")))), rows)));
  const faults = faultsView();
  main.append(faults.element);
  const marks = new Map();
  let dragged = null;
  let scale = LEAST;

  const path = (name) => `radio/devices/${encodeURIComponent(name)}`;

  // While the answer to one move is awaited the later ones are left out, but for the last.
  const moves = new Map();
  async function move(name, x, y) {
    if (moves.has(name)) return moves.set(name, {x, y});
    moves.set(name, null);
    try {
      await ask("PUT", path(name), {x, y});
    } catch (error) {
      complain(error.message);
    }
    const next = moves.get(name);
    moves.delete(name);
    if (next) await move(name, next.x, next.y);
  }

  function position(event) {
    const box = map.getBoundingClientRect();
    const round = (number) => Math.max(-1000, Math.min(1000, Math.round(number * 10) / 10));
    return [round(((event.clientX - box.left) / box.width - 0.5) * scale), round(((event.clientY - box.top) / box.height - 0.5) * scale)];
  }

  map.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const [x, y] = position(event);
    Object.assign(state.radio.devices.find((device) => device.name === dragged), {x, y});
    move(dragged, x, y);
    refresh();
  });
  const drop = () => { dragged = null; };
  map.addEventListener("pointerup", drop);
  map.addEventListener("pointercancel", drop);

  function makeMark(name) {
    const circle = element("circle", {r: 0.5});
    const label = element("text", {"aria-hidden": "true"}, inert(name));
    const power = button("", () => ask("PUT", path(name), {on: !state.radio.devices.find((one) => one.name === name).on}));
    const [far, kind] = [element("td", {class: "number"}), element("td")];
    const group = element("g", {tabindex: "0", role: "button", onpointerdown: (event) => {
      dragged = name;
      map.setPointerCapture(event.pointerId);
      event.preventDefault();
      group.focus();
    }, onkeydown: (event) => {
      const [x, y] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key] ?? [];
      if (x === undefined) return;
      event.preventDefault();
      const device = state.radio.devices.find((one) => one.name === name);
      const far = event.shiftKey ? 10 : 1;
      Object.assign(device, {x: device.x + x * far, y: device.y + y * far});
      move(name, device.x, device.y);
      refresh();
    }}, element("circle", {class: "hit", r: 1.6, cy: 0.5}), circle, label);
    map.append(group);
    rows.append(element("tr", {}, element("th", {scope: "row"}, foreign(name)), far, element("td", {}, power), kind));
    return {group, circle, label, far, power, kind};
  }

  // From the top to the bottom, each beside those that have their place.
  let placed = "";
  function placeLabels(devices) {
    const letter = 30 * LETTERS / (map.clientWidth || 600);
    const wanted = JSON.stringify([scale, letter, devices.map((device) => [device.name, device.x, device.y])]);
    if (wanted === placed) return;
    placed = wanted;
    map.style.fontSize = `${letter}px`;
    const places = devices.map((device) => ({name: device.name, x: device.x * 30 / scale, y: device.y * 30 / scale})).sort((one, other) => one.y - other.y);
    const taken = places.map(({x, y}) => [x - 0.6, y - 0.6, x + 0.6, y + 0.6]);
    for (const one of places) {
      const {label} = marks.get(one.name);
      const found = place(label.getComputedTextLength() + letter / 4, letter * 1.4, one, taken);
      label.setAttribute("x", found.toX);
      label.setAttribute("y", found.toY + letter * 0.35);
      taken.push(found.box);
    }
  }

  const timer = setInterval(refresh, 250);

  return {
    close() { clearInterval(timer); },
    draw() {
      const radio = state.radio;
      if (!radio) return;
      const passed = radio.running ? (performance.now() - radio.received) * radio.speed : 0;
      setText(time, `${((radio.time_ms + passed) / 1000).toFixed(radio.running ? 1 : 3)} s, ${radio.running ? t("running") : t("stopped")}, ${radio.speed}×, `
        + `${t("loss")} ${Math.round(radio.loss * 100)} %`);
      setText(run, radio.running ? t("Stop time") : t("Run"));
      step.disabled = radio.running;
      if (document.activeElement !== speed) speed.value = Math.log10(radio.speed);
      if (document.activeElement !== loss) loss.value = radio.loss;
      if (!dragged) scale = Math.max(LEAST, ...radio.devices.flatMap((device) => [Math.abs(device.x), Math.abs(device.y)]).map((far) => far * 2.3));
      map.setAttribute("viewBox", `${-scale / 2} ${-scale / 2} ${scale} ${scale}`);
      for (const device of radio.devices) {
        if (!marks.has(device.name)) marks.set(device.name, makeMark(device.name));
        const mark = marks.get(device.name);
        mark.group.setAttribute("transform", `translate(${device.x} ${device.y}) scale(${scale / 30})`);
        mark.group.setAttribute("class", `${device.explorer ? "explorer" : ""} ${device.on ? "" : "off"}`);
        mark.group.setAttribute("aria-label",
          `${inert(device.name)}: ${device.x} m, ${device.y} m, ${device.distance.toFixed(1)} m ${t("away")}${device.on ? "" : `, ${t("off")}`}`);
        setText(mark.far, device.explorer ? "" : `${device.distance.toFixed(1)} m`);
        setText(mark.power, device.on ? t("Switch off") : t("Switch on"));
        mark.power.setAttribute("aria-label", `${device.on ? t("Switch off") : t("Switch on")} ${inert(device.name)}`);
        setText(mark.kind, t(device.kind));
      }
      placeLabels(radio.devices);
      faults.draw();
    },
  };
}
