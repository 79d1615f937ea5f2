// The strengths at which devices were heard, one for each second of their last minute.

import {button, download, inert} from "./dom.js";
import {clock, state} from "./live.js";
import {field, table} from "./csv.js";
import {t} from "./words.js";

// [second, dBm] for each second in which it was heard, oldest first; seconds are those of the adapter's clock.
export function samples({strengths, last_seen_ms: time}) {
  const last = Math.floor(time / 1_000);
  return strengths.map((rssi, index) => [last - (strengths.length - 1 - index), rssi]).filter(([, rssi]) => rssi !== null);
}

// The hour of the day at which a second of the adapter's clock was; a simulated air has none.
function hour(second) {
  return state.status.radio ? "" : new Date(Date.now() - (clock() - second * 1_000)).toISOString();
}

export function strengthsText(devices) {
  return table(["time", "time_ms", "identifier", "address", "name", "rssi"], devices.flatMap((device) => {
    const named = [device.identifier, device.address ?? "", field(inert(device.name ?? ""))];
    return samples(device).map(([second, rssi]) => [hour(second), second * 1_000, ...named, rssi]);
  }));
}

// A button that saves the strengths of the devices that `chosen` returns.
export function saveStrengths(chosen) {
  return button(t("Save strengths as CSV"), () => download("ble-strengths.csv", "text/csv", strengthsText(chosen())));
}
