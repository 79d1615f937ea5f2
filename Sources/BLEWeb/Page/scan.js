// The table of what is heard. Only the rows in sight exist; a device keeps its row, and with it the focus.

import {advertisement} from "./advertisement.js";
import {attempt, button, element, foreign, inert, labelled, select, setText} from "./dom.js";
import {ask, clock, state} from "./live.js";
import {kept} from "./kept.js";
import {points} from "./chart.js";
import {t} from "./words.js";

const ROW = 60;
const filter = {name: "", service: "", company: "", strength: "", sort: "rssi"};
const favourites = new Set(kept.get("favourites", []));

// Made once: of thousands of names each comparison counts.
const collator = new Intl.Collator();

const orders = {
  rssi: (one, other) => (other.rssi ?? -200) - (one.rssi ?? -200),
  name: (one, other) => collator.compare(one.name ?? "\uffff", other.name ?? "\uffff"),
  last_seen_ms: (one, other) => other.last_seen_ms - one.last_seen_ms,
  interval_ms: (one, other) => (one.interval_ms ?? 1e9) - (other.interval_ms ?? 1e9),
};

function matches(device) {
  const has = (texts, wanted) => !wanted || texts.some((text) => text?.toLowerCase().includes(wanted));
  return has([device.name, device.address, device.identifier], filter.name) && has([device.company], filter.company)
    && has([...device.services, ...device.service_names], filter.service)
    && (filter.strength === "" || (device.rssi ?? -200) >= Number(filter.strength));
}

const PART = 128;
const SLICE_MS = 3;

// Finds the devices to show, in their order. Thousands would take longer than a frame: it pauses after each part, and gives the result at the end.
function* choosing(devices) {
  const order = orders[filter.sort];
  const compare = (one, other) => other.isFavourite - one.isFavourite || order(one.device, other.device)
    || (one.device.identifier < other.device.identifier ? -1 : 1);
  let runs = [];
  for (let start = 0; start < devices.length; start += PART) {
    runs.push(devices.slice(start, start + PART).filter(matches)
      .map((device) => ({device, isFavourite: favourites.has(device.identifier)})).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer = [];
    for (let index = 0; index < runs.length; index += 2) longer.push(yield* merged(runs[index], runs[index + 1] ?? [], compare));
    runs = longer;
  }
  return (runs[0] ?? []).map((one) => one.device);
}

function* merged(ones, others, compare) {
  const found = [];
  let [one, other] = [0, 0];
  while (one < ones.length && other < others.length) {
    found.push(compare(ones[one], others[other]) <= 0 ? ones[one++] : others[other++]);
    if (found.length % PART === 0) yield;
  }
  return found.concat(ones.slice(one), others.slice(other));
}

export function scanView(main, refresh) {
  let [shown, revision, isPaused, isStale] = [[], -1, false, true];
  let sorted = 0;
  let choice = null;
  let opened = null;
  let toOpened = false;
  // The time by the adapter's clock for which the ages are shown; it stands still while the table is paused.
  let now = 0;
  const changed = () => { isStale = true; refresh(); };
  const toggle = button("", () => ask("PUT", "scan", {on: !state.status.scanning}));
  const pause = button(t("Pause"), () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    changed();
  }, {"aria-pressed": "false"});
  const field = (label, name, attributes) => labelled(label, element("input", {
    type: "search", value: filter[name], autocomplete: "off", ...attributes,
    oninput: (event) => { filter[name] = event.target.value.toLowerCase(); changed(); }}));
  const sort = select([["rssi", t("Strength")], ["name", t("Name")], ["last_seen_ms", t("Last heard")], ["interval_ms", t("Interval")]],
    {onchange: () => { filter.sort = sort.value; changed(); }});
  sort.value = filter.sort;
  const inner = element("ul");
  const table = element("div", {class: "table", tabindex: "0", role: "region", "aria-label": t("Devices"), onscroll: refresh,
    onkeydown: moveFocus}, inner);
  const count = element("p", {class: "faint", role: "status"});
  // On a narrow screen they would take the place of the table; one that is in use stays in sight.
  const filters = element("details", {class: "filters"}, element("summary", {}, t("Filters")), element("div", {class: "bar"},
    field(t("Name or address"), "name"), field(t("Service"), "service"), field(t("Manufacturer"), "company"),
    field(t("At least (dBm)"), "strength", {type: "number", min: -127, max: 20}), labelled(t("Order"), sort)));
  const narrow = matchMedia("(max-width: 40rem)");
  const fold = () => { filters.open = !narrow.matches || [filter.name, filter.service, filter.company, filter.strength].some(Boolean); };
  const detail = element("section", {class: "detail", "aria-label": t("Advertisement")});
  main.replaceChildren(element("h2", {}, t("Scan")),
    element("form", {class: "bar", onsubmit: (event) => event.preventDefault()}, toggle, pause, filters), count, table, detail);
  narrow.addEventListener("change", fold);
  fold();
  const rows = new Map();

  function moveFocus(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    const place = shown.findIndex((device) => device.identifier === document.activeElement?.closest("li")?.dataset.identifier);
    const next = shown[place + step];
    if (!next) return;
    event.preventDefault();
    table.scrollTop = Math.min(Math.max(table.scrollTop, (place + step + 1) * ROW - table.clientHeight), (place + step) * ROW);
    draw();
    rows.get(next.identifier)?.link.focus({preventScroll: true});
  }

  function makeRow(identifier) {
    const name = element("span", {class: "name"});
    const about = element("small");
    const line = element("polyline");
    const [rssi, interval, age] = [element("span"), element("span", {class: "wide"}), element("span")];
    const star = button("☆", () => {
      if (!favourites.delete(identifier)) favourites.add(identifier);
      kept.set("favourites", [...favourites]);
      changed();
    }, {class: "star"});
    const open = button(t("Octets"), () => { opened = opened === identifier ? null : identifier; changed(); toOpened = true; }, {class: "open"});
    const link = element("a", {href: `#/device/${identifier}`}, name, about);
    const item = element("li", {"data-identifier": identifier}, star, link,
      element("svg", {class: "line", viewBox: "0 0 96 26", "aria-hidden": "true"}, line), element("span", {class: "number"}, rssi, element("small", {}, interval, age)), open);
    return {item, link, name, about, line, rssi, interval, age, star, open};
  }

  function fill(row, device, index) {
    row.item.className = device.stale ? "stale" : "";
    row.item.style.top = `${index * ROW}px`;
    const name = device.name ?? "";
    if (row.shown !== name) {
      row.shown = name;
      row.name.replaceChildren(name ? foreign(name) : t("(no name)"));
      row.star.setAttribute("aria-label", `${t("Favourite")}: ${inert(name) || device.address || device.identifier}`);
      row.open.setAttribute("aria-label", `${t("Octets")}: ${inert(name) || device.address || device.identifier}`);
    }
    setText(row.about, [device.company, ...device.service_names, device.address].filter(Boolean).map(inert).join(" · "));
    row.line.setAttribute("points", points(device.strengths, 96, 26));
    setText(row.rssi, device.rssi === null ? "–" : `${device.rssi} dBm`);
    setText(row.interval, device.interval_ms === null ? "" : `${device.interval_ms} ms · `);
    const seconds = Math.max(0, Math.floor((now - device.last_seen_ms) / 1_000));
    setText(row.age, `${seconds < 1 ? "< 1" : seconds} s ${t("ago")}`);
    const isFavourite = favourites.has(device.identifier);
    setText(row.star, isFavourite ? "★" : "☆");
    row.star.setAttribute("aria-pressed", String(isFavourite));
    row.open.setAttribute("aria-expanded", String(opened === device.identifier));
  }

  function drawDetail() {
    const device = opened && state.devices.get(opened);
    detail.hidden = !device;
    const wanted = device ? JSON.stringify([device.name, device.services, device.service_data, device.manufacturer_data, device.tx_power]) : "";
    if (detail.dataset.shown === wanted) return;
    detail.dataset.shown = wanted;
    detail.replaceChildren(...(device ? [element("h3", {}, foreign(device.name ?? device.identifier)), advertisement(device)] : []));
    if (device && toOpened) detail.scrollIntoView({block: "nearest"});
    toOpened = false;
  }

  // A part of it in this frame, the rest in the next ones.
  function choose() {
    const end = performance.now() + SLICE_MS;
    let step;
    do step = choice.next(); while (!step.done && performance.now() < end);
    if (!step.done) return refresh();
    [shown, choice, sorted] = [step.value, null, performance.now()];
  }

  function draw() {
    setText(toggle, state.status.scanning ? t("Stop scanning") : t("Scan"));
    // At most four times a second, however many events come.
    const isDue = !isPaused && !choice && revision !== state.revision;
    if (isStale || isDue && performance.now() - sorted >= 250) {
      choice = choosing(isPaused ? shown.map((device) => state.devices.get(device.identifier) ?? device) : [...state.devices.values()]);
      [revision, isStale] = [state.revision, false];
    } else if (isDue) {
      setTimeout(refresh, 250);
    }
    if (choice) choose();
    if (!isPaused) now = clock();
    setText(count, `${shown.length} / ${state.devices.size} ${t("devices")}`);
    inner.style.height = `${shown.length * ROW}px`;
    const first = Math.max(0, Math.floor(table.scrollTop / ROW) - 3);
    const last = Math.min(shown.length, Math.ceil((table.scrollTop + table.clientHeight) / ROW) + 3);
    const wanted = new Set();
    for (let index = first; index < last; index++) {
      const device = isPaused ? shown[index] : state.devices.get(shown[index].identifier) ?? shown[index];
      wanted.add(device.identifier);
      if (!rows.has(device.identifier)) {
        rows.set(device.identifier, makeRow(device.identifier));
        inner.append(rows.get(device.identifier).item);
      }
      fill(rows.get(device.identifier), device, index);
    }
    for (const [identifier, row] of rows) {
      if (wanted.has(identifier)) continue;
      row.item.remove();
      rows.delete(identifier);
    }
    drawDetail();
  }

  // The ages grow without events, too.
  const timer = setInterval(refresh, 1_000);

  return {
    draw,
    close() {
      clearInterval(timer);
      narrow.removeEventListener("change", fold);
    },
  };
}
