// The structures of an advertisement (Core, Vol 3 Part C 11), made again of what Core Bluetooth tells of it.

import {inert} from "./dom.js";
import {t} from "./words.js";

// The octets of a UUID, least significant first, as they are on the air.
function uuidOctets(uuid) {
  const digits = uuid.replaceAll("-", "").toLowerCase();
  return digits.match(/../g).reverse().join("");
}

function utf8(text) { return [...new TextEncoder().encode(text)].map((octet) => octet.toString(16).padStart(2, "0")).join(""); }

// `key` is the same for the structures of two advertisements that say the same kind of thing.
function structure(type, name, parts, rest = {}) {
  const hex = parts.map((part) => part.hex).join("");
  return {key: type, type, name, parts, hex, length: hex.length / 2 + 1, ...rest};
}

function services(uuids, names, types) {
  const bySize = {4: [], 8: [], 36: []};
  uuids.forEach((uuid, index) => bySize[uuid.length]?.push({hex: uuidOctets(uuid), says: names?.[index] ?? uuid}));
  return Object.entries(bySize).filter(([, parts]) => parts.length)
    .map(([size, parts]) => structure(types[size], t(types.name), parts, {key: `${types.name} ${size}`}));
}

// What a field of a beacon says, with its unit.
function fieldText({name, value, unit}) {
  return value === null ? `${t(name)}: –` : `${t(name)}: ${inert(String(value))}${unit ? ` ${t(unit)}` : ""}`;
}

// The data of a company or of a service: the fields of a beacon's frame, where it has one.
function data(hex, beacon) {
  if (beacon) return beacon.fields.filter((field) => field.octets).map((field) => ({hex: field.octets, says: fieldText(field), isField: true}));
  return hex ? [{hex, says: t("Data")}] : [];
}

// The structures of a device's advertisement. Those with a `beacon` have its fields among their parts.
export function structures(device) {
  const beacon = (service) => device.beacons.find((one) => one.service === service);
  const found = [];
  if (device.name) found.push(structure("09", t("Local name"), [{hex: utf8(device.name), says: inert(device.name)}]));
  if (device.tx_power !== null) {
    found.push(structure("0a", t("Transmit power"),
      [{hex: (device.tx_power & 0xFF).toString(16).padStart(2, "0"), says: `${device.tx_power} dBm`}]));
  }
  found.push(...services(device.services, device.service_names, {name: "Services", 4: "03", 8: "05", 36: "07"}));
  found.push(...services(device.overflow_services, null, {name: "Services in the overflow area", 4: "03", 8: "05", 36: "07"}));
  found.push(...services(device.solicited_services, null, {name: "Solicited services", 4: "14", 8: "1f", 36: "15"}));
  for (const {service, data: hex} of device.service_data) {
    const type = {4: "16", 8: "20", 36: "21"}[service.length];
    const own = beacon(service);
    found.push(structure(type, t("Service data"), [{hex: uuidOctets(service), says: service}, ...data(hex, own)],
      {key: `${type} ${service}`, beacon: own}));
  }
  if (device.manufacturer_data) {
    const [company, rest] = [device.manufacturer_data.slice(0, 4), device.manufacturer_data.slice(4)];
    const own = beacon(null);
    found.push(structure("ff", t("Manufacturer data"), [{hex: company, says: device.company ?? t("Company")}, ...data(rest, own)], {beacon: own}));
  }
  return found;
}
