// The table of what is heard. Only the rows in sight exist; a device keeps its row, and with it the focus.

import {ROW, deviceRow} from "./row.js";
import {advertisementTable, advertisementTools} from "./advertisement.js";
import {ask, clock, state} from "./live.js";
import {button, element, foreign, labelled, select, setText} from "./dom.js";
import {chooser, filter, toggleFavourite} from "./choosing.js";
import {saveStrengths} from "./strengths.js";
import {slot, timelineView, toggleOnTimeline} from "./timeline.js";
import {t} from "./words.js";

// What the last frames have done: rows that were filled, and devices that the choice has looked at, at most.
const work = [];
window.scan_work = work;

export function scanView(main, refresh) {
  let [shown, revision, isPaused, isStale] = [[], -1, false, true];
  let [sorted, isAwaited] = [0, false];
  let [opened, toOpened] = [null, false];
  // The time by the adapter's clock for which the ages are shown; it stands still while the table is paused.
  let now = 0;
  const choice = chooser();
  const rows = new Map();
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
  const timeline = timelineView(changed);
  const detail = element("section", {class: "detail", "aria-label": t("Advertisement")});
  const save = saveStrengths(() => shown.map(current));
  main.replaceChildren(element("h2", {}, t("Scan")),
    element("form", {class: "bar", onsubmit: (event) => event.preventDefault()}, toggle, pause, filters), count, table,
    element("div", {class: "tools"}, save), timeline.element, detail);
  narrow.addEventListener("change", fold);
  fold();

  // What is known of a device by now; while the table is paused, what was known then.
  function current(device) { return isPaused ? device : state.devices.get(device.identifier) ?? device; }

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
    return deviceRow(identifier, {
      star: () => { toggleFavourite(identifier); changed(); },
      compare: () => { toggleOnTimeline(identifier); changed(); },
      open: () => { opened = opened === identifier ? null : identifier; changed(); toOpened = true; },
    });
  }

  function drawDetail() {
    const device = opened && state.devices.get(opened);
    detail.hidden = !device;
    const identifier = device?.identifier ?? "";
    if (detail.dataset.identifier !== identifier) {
      detail.dataset.identifier = identifier;
      delete detail.dataset.shown;
      detail.replaceChildren(...(device ? [element("h3"), element("div"), advertisementTools(identifier)] : []));
    }
    if (!device) return;
    const wanted = JSON.stringify([device.name, device.services, device.service_data, device.manufacturer_data, device.tx_power]);
    if (detail.dataset.shown !== wanted) {
      detail.dataset.shown = wanted;
      detail.children[0].replaceChildren(foreign(device.name ?? device.identifier));
      detail.children[1].replaceChildren(advertisementTable(device));
    }
    if (toOpened) detail.scrollIntoView({block: "nearest"});
    toOpened = false;
  }

  // At most four times a second, however many events come.
  function choose() {
    const isDue = !isPaused && !choice.isUnderWay && revision !== state.revision;
    if (isStale || isDue && performance.now() - sorted >= 250) {
      choice.begin(isPaused ? shown.map((device) => state.devices.get(device.identifier) ?? device) : [...state.devices.values()]);
      revision = state.revision;
    } else if (isDue && !isAwaited) {
      isAwaited = true;
      setTimeout(() => { isAwaited = false; refresh(); }, 250);
    }
    // A part of it in this frame, the rest in the next ones.
    const found = choice.go();
    if (found) [shown, sorted] = [found, performance.now()];
    else if (choice.isUnderWay) refresh();
  }

  function drawRows() {
    inner.style.height = `${shown.length * ROW}px`;
    const first = Math.max(0, Math.floor(table.scrollTop / ROW) - 3);
    const last = Math.min(shown.length, Math.ceil((table.scrollTop + table.clientHeight) / ROW) + 3);
    const wanted = new Set();
    for (let index = first; index < last; index++) {
      const device = current(shown[index]);
      const {identifier} = device;
      wanted.add(identifier);
      if (!rows.has(identifier)) {
        rows.set(identifier, makeRow(identifier));
        inner.append(rows.get(identifier).item);
      }
      rows.get(identifier).fill(device, index, {now, isOpened: opened === identifier, slot: slot(identifier)});
    }
    for (const [identifier, row] of rows) {
      if (wanted.has(identifier)) continue;
      row.item.remove();
      rows.delete(identifier);
    }
    return wanted.size;
  }

  function draw() {
    setText(toggle, state.status.scanning ? t("Stop scanning") : t("Scan"));
    choose();
    if (!isPaused) now = clock();
    setText(count, `${shown.length} / ${state.devices.size} ${t("devices")}`);
    const filled = drawRows();
    if (!isPaused || isStale) timeline.draw(isStale);
    isStale = false;
    drawDetail();
    work.push({rows: filled, handled: choice.handled});
    if (work.length > 1_000) work.splice(0, 500);
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
