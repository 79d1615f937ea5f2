// The gateways that a broker knows, and the devices that they keep or hear.

import {element, foreign, inert, labelled, setText} from "./dom.js";
import {state} from "./live.js";
import {t} from "./words.js";

// More are not drawn: a filter finds the others.
const SHOWN = 300;
const LONGEST_NAME = 64;

function seconds(heard, fleet) {
  if (heard === null) return "–";
  const now = fleet.time_ms + performance.now() - fleet.received;
  return `${Math.max(0, Math.round((now - heard) / 1_000))} s ${t("ago")}`;
}

function shownValue({name, text, unit}) { return `${inert(name)}: ${inert(text)}${unit ? ` ${inert(unit)}` : ""}`; }

// The texts of a row's cells; the first one is the name.
const gatewayCells = (one, fleet) => [
  one.gateway, t(one.status ?? "unknown"), one.since?.replace("T", " ").slice(0, 19) ?? "–", one.devices === null ? "–" : String(one.devices),
  one.version ?? "–", seconds(one.heard_ms, fleet),
];
const deviceCells = (one, fleet) => [
  one.name && one.name !== one.device ? `${one.device} · ${one.name}` : one.device,
  [one.holder, one.phase && one.phase !== "held" ? t(one.phase) : null].filter(Boolean).join(" · ") || "–", t(one.status ?? "unknown"), one.room ?? "–",
  one.values.map(shownValue).join(" · ") || "–",
  one.strengths.map(({gateway, rssi}) => `${gateway} ${Math.round(rssi)} dBm`).join(" · ") || "–", seconds(one.heard_ms, fleet),
];

// A table whose rows are kept and filled again: what is selected in one stays so.
function fleetTable(title, headings, cells) {
  const rows = new Map();
  const body = element("tbody");
  const count = element("p", {class: "faint"});
  const list = element("div", {class: "scrolls fleet", tabindex: "0", role: "region", "aria-label": title}, element("table", {},
    element("thead", {}, element("tr", {}, headings.map((heading) => element("th", {scope: "col"}, heading)))), body));

  function makeRow() {
    const name = element("th", {scope: "row"});
    const others = headings.slice(1).map((heading) => element("td", {"data-heading": heading}));
    return {item: element("tr", {}, name, others), name, others, shown: null};
  }

  function fill(row, one, fleet) {
    const [name, ...texts] = cells(one, fleet);
    if (row.shown !== name) {
      row.shown = name;
      row.name.replaceChildren(foreign(name.slice(0, 2 * LONGEST_NAME)));
    }
    texts.forEach((text, index) => setText(row.others[index], inert(text)));
    row.item.className = one.status === "offline" ? "stale" : "";
  }

  return {
    elements: [element("h3", {}, title), count, list],
    draw(all, wanted, fleet) {
      setText(count, `${wanted.length} / ${all}`);
      const shown = new Map(wanted.slice(0, SHOWN).map((one) => [one.gateway ?? one.device, one]));
      for (const [name, row] of rows) {
        if (!shown.has(name)) {
          row.item.remove();
          rows.delete(name);
        }
      }
      let next = body.firstElementChild;
      for (const [name, one] of shown) {
        if (!rows.has(name)) rows.set(name, makeRow());
        const row = rows.get(name);
        fill(row, one, fleet);
        if (row.item === next) next = next.nextElementSibling;
        else body.insertBefore(row.item, next);
      }
    },
  };
}

const byName = (one, other) => one < other ? -1 : 1;

export function fleetView(main, refresh) {
  const link = element("p", {role: "status"});
  const ignored = element("p", {class: "faint"});
  const filter = element("input", {type: "search", autocomplete: "off", oninput: () => refresh()});
  const gateways = fleetTable(t("Gateways"), ["Gateway", "State", "Since", "Devices", "Version", "Last heard"].map(t), gatewayCells);
  const devices = fleetTable(t("Devices"), ["Device", "Gateway", "State", "Room", "Values", "Strength", "Last heard"].map(t), deviceCells);
  main.replaceChildren(element("h2", {}, t("Fleet")), link, ignored,
    element("form", {class: "bar", onsubmit: (event) => event.preventDefault()}, labelled(t("Filter"), filter)), gateways.elements[0],
    ...gateways.elements.slice(1), ...devices.elements);
  // The ages grow without messages, too.
  const timer = setInterval(refresh, 1_000);

  return {
    draw() {
      const {fleet} = state;
      if (!fleet) return setText(link, t("This explorer looks at no broker."));
      setText(link, fleet.connected ? `${t("Broker")} ${inert(fleet.broker)}: ${t("connected")}`
        : `${t("Broker")} ${inert(fleet.broker)}: ${t("not connected")}${fleet.reason ? ` (${inert(fleet.reason)})` : ""}`);
      setText(ignored, fleet.ignored ? `${t("Messages that are none of a gateway:")} ${fleet.ignored}` : "");
      const text = filter.value.toLowerCase();
      for (const [all, table, key] of [[fleet.gateways, gateways, "gateway"], [fleet.devices, devices, "device"]]) {
        const wanted = [...all.values()].filter((one) => !text || JSON.stringify(one).toLowerCase().includes(text));
        table.draw(all.size, wanted.sort((one, other) => byName(one[key], other[key])), fleet);
      }
    },
    close() { clearInterval(timer); },
  };
}
