// An advertisement octet by octet, with its history.

import {element, inert, spaced} from "./dom.js";
import {advertisementHistory} from "./history.js";
import {saveStrengths} from "./strengths.js";
import {state} from "./live.js";
import {structures} from "./structures.js";
import {t} from "./words.js";

function meaning({parts, beacon}) {
  const plain = parts.filter((part) => !part.isField).map((part) => part.says).join(", ");
  if (!beacon) return [plain];
  return [`${plain}: `, element("b", {}, beacon.format),
    element("ul", {class: "plain"}, parts.filter((part) => part.isField).map((part) => element("li", {}, part.says))),
    beacon.problem && element("p", {class: "bad"}, inert(beacon.problem))];
}

// A table of its structures.
export function advertisementTable(device) {
  const rows = structures(device).map((one) => element("tr", {},
    element("th", {scope: "row"}, one.name),
    element("td", {class: "octets"},
      element("span", {class: "faint", title: t("Length and type")}, `${one.length.toString(16).padStart(2, "0")} ${one.type} `),
      one.parts.map((part, index) => element("span", {class: `part${index % 2}`, title: part.says}, `${spaced(part.hex)} `))),
    element("td", {}, meaning(one))));
  if (!rows.length) return element("p", {}, t("It advertises no data."));
  return element("div", {class: "scrolls", tabindex: "0", role: "region", "aria-label": t("Advertisement")},
    element("table", {}, element("thead", {}, element("tr", {},
      element("th", {scope: "col"}, t("Field")), element("th", {scope: "col"}, t("Octets")), element("th", {scope: "col"}, t("Meaning")))),
    element("tbody", {}, rows)));
}

// What there is beside the table, and stays as it is when the advertisement changes.
export function advertisementTools(identifier) {
  return element("div", {class: "tools"}, element("div", {class: "bar"}, saveStrengths(() => [state.devices.get(identifier)].filter(Boolean))),
    advertisementHistory(identifier));
}

export function advertisement(device) { return element("div", {}, advertisementTable(device), advertisementTools(device.identifier)); }
