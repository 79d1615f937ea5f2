// Which devices are shown, and in which order: chosen a part in each frame.

import {kept} from "./kept.js";

export const filter = {name: "", service: "", company: "", strength: "", sort: "rssi"};
export const favourites = new Set(kept.get("favourites", []));

// Whether the device is a favourite from now on.
export function toggleFavourite(identifier) {
  if (!favourites.delete(identifier)) favourites.add(identifier);
  kept.set("favourites", [...favourites]);
}

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

// Devices between two pauses, and pauses in one frame: what is done for the choice in a frame has a limit, whatever the machine does beside it.
const PART = 128;
const MOST_PARTS = 8;
// Where these take longer, on a slow machine, the frame ends sooner.
const SLICE_MS = 3;

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
  const found = [];
  for (const {device} of runs[0] ?? []) {
    found.push(device);
    if (found.length % PART === 0) yield;
  }
  return found;
}

function* merged(ones, others, compare) {
  const found = [];
  let [one, other] = [0, 0];
  while (one < ones.length || other < others.length) {
    const isFirst = other === others.length || one < ones.length && compare(ones[one], others[other]) <= 0;
    found.push(isFirst ? ones[one++] : others[other++]);
    if (found.length % PART === 0) yield;
  }
  return found;
}

// `begin(devices)` begins a choice; `go()` does a frame's part of it and returns the devices to show once it is complete. `handled` says how many
// devices the last `go()` has looked at, at most.
export function chooser() {
  let choice = null;
  return {
    handled: 0,
    get isUnderWay() { return choice !== null; },
    begin(devices) { choice = choosing(devices); },
    go() {
      this.handled = 0;
      if (!choice) return null;
      const end = performance.now() + SLICE_MS;
      let step;
      do {
        step = choice.next();
        this.handled += PART;
      } while (!step.done && this.handled < MOST_PARTS * PART && performance.now() < end);
      if (!step.done) return null;
      choice = null;
      return step.value;
    },
  };
}
