// An advertisement octet by octet: the structures (Core, Vol 3 Part C 11) of what Core Bluetooth tells of it.

import {element, inert, spaced} from "./dom.js";
import {t} from "./words.js";

// The octets of a UUID, least significant first, as they are on the air.
function uuidOctets(uuid) {
  const digits = uuid.replaceAll("-", "").toLowerCase();
  return digits.match(/../g).reverse().join("");
}

function utf8(text) { return [...new TextEncoder().encode(text)].map((octet) => octet.toString(16).padStart(2, "0")).join(""); }

function structure(type, name, parts) {
  const hex = parts.map((part) => part.hex).join("");
  return {type, name, parts, length: hex.length / 2 + 1};
}

function services(uuids, names, types) {
  const bySize = {4: [], 8: [], 36: []};
  uuids.forEach((uuid, index) => bySize[uuid.length]?.push({hex: uuidOctets(uuid), says: names?.[index] ?? uuid}));
  return Object.entries(bySize).filter(([, parts]) => parts.length)
    .map(([size, parts]) => structure(types[size], t(types.name), parts));
}

// The structures of a device's advertisement.
export function structures(device) {
  const found = [];
  if (device.name) found.push(structure("09", t("Local name"), [{hex: utf8(device.name), says: inert(device.name)}]));
  if (device.tx_power !== null) {
    found.push(structure("0a", t("Transmit power"),
      [{hex: (device.tx_power & 0xFF).toString(16).padStart(2, "0"), says: `${device.tx_power} dBm`}]));
  }
  found.push(...services(device.services, device.service_names, {name: "Services", 4: "03", 8: "05", 36: "07"}));
  found.push(...services(device.overflow_services, null, {name: "Services in the overflow area", 4: "03", 8: "05", 36: "07"}));
  found.push(...services(device.solicited_services, null, {name: "Solicited services", 4: "14", 8: "1f", 36: "15"}));
  for (const {service, data} of device.service_data) {
    const type = {4: "16", 8: "20", 36: "21"}[service.length];
    found.push(structure(type, t("Service data"), [{hex: uuidOctets(service), says: service}, {hex: data, says: t("Data")}]));
  }
  if (device.manufacturer_data) {
    const [company, rest] = [device.manufacturer_data.slice(0, 4), device.manufacturer_data.slice(4)];
    found.push(structure("ff", t("Manufacturer data"),
      [{hex: company, says: device.company ?? t("Company")}, ...(rest ? [{hex: rest, says: t("Data")}] : [])]));
  }
  return found;
}

// A table of them.
export function advertisement(device) {
  const rows = structures(device).map(({type, name, parts, length}) => element("tr", {},
    element("th", {scope: "row"}, name),
    element("td", {class: "octets"},
      element("span", {class: "faint", title: t("Length and type")}, `${length.toString(16).padStart(2, "0")} ${type} `),
      parts.map((part, index) => element("span", {class: `part${index % 2}`, title: part.says}, `${spaced(part.hex)} `))),
    element("td", {}, parts.map((part) => part.says).join(", "))));
  if (!rows.length) return element("p", {}, t("It advertises no data."));
  return element("div", {class: "scrolls", tabindex: "0", role: "region", "aria-label": t("Advertisement")},
    element("table", {}, element("thead", {}, element("tr", {},
      element("th", {scope: "col"}, t("Field")), element("th", {scope: "col"}, t("Octets")), element("th", {scope: "col"}, t("Meaning")))),
    element("tbody", {}, rows)));
}
