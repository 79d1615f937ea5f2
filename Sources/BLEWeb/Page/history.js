// What a device has advertised: an entry for each change, newest first, with what is new in it marked.

import {ask, clock} from "./live.js";
import {attempt, element, setText, spaced} from "./dom.js";
import {structures} from "./structures.js";
import {t} from "./words.js";

const AGAIN_MS = 1_000;

// The octets of a structure, where those that differ from `before` are marked; `null` marks none.
function octets(hex, before) {
  const runs = [];
  for (let at = 0; at < hex.length; at += 2) {
    const isNew = before !== null && hex.slice(at, at + 2) !== before.slice(at, at + 2);
    if (runs.at(-1)?.isNew !== isNew) runs.push({isNew, hex: ""});
    runs.at(-1).hex += hex.slice(at, at + 2);
  }
  return runs.flatMap((run) => [run.isNew ? element("mark", {}, spaced(run.hex)) : spaced(run.hex), " "]);
}

// What of a structure is new, in words.
function news(one, before) {
  const changed = before ? one.parts.filter((part, index) => part.hex !== before.parts[index]?.hex) : one.parts;
  return changed.map((part) => part.says).join(", ");
}

function changes(entry, earlier) {
  const [all, old] = [structures(entry), earlier ? structures(earlier) : null];
  const before = (one) => old?.find((other) => other.key === one.key);
  const shown = all.filter((one) => !old || before(one)?.hex !== one.hex).map((one) => element("li", {},
    element("b", {}, one.name), " ", element("span", {class: "octets"}, octets(one.hex, old ? before(one)?.hex ?? "" : null)), news(one, before(one))));
  const gone = (old ?? []).filter((one) => !all.some((other) => other.key === one.key))
    .map((one) => element("li", {}, element("b", {}, one.name), " ", element("del", {class: "octets"}, spaced(one.hex))));
  if (earlier && earlier.connectable !== entry.connectable) gone.push(element("li", {}, t(entry.connectable ? "connectable" : "not connectable")));
  return [...shown, ...gone];
}

export function advertisementHistory(identifier) {
  const list = element("ol", {class: "history", reversed: true, tabindex: "0", "aria-label": t("History of its advertisements")});
  const whole = element("details", {class: "advertised"}, element("summary", {}, t("History of its advertisements")), list);
  const lines = new Map();
  let timer = null;

  function makeLine(entry, earlier) {
    const head = element("span", {class: "number"});
    return {head, item: element("li", {}, head, element("ul", {class: "plain"}, changes(entry, earlier)))};
  }

  const seconds = (time) => Math.max(0, Math.floor((clock() - time) / 1_000));
  function tell(entry) {
    const [first, last] = [seconds(entry.first_seen_ms), seconds(entry.last_seen_ms)];
    const strengths = entry.rssi_min === null ? "" : ` · ${entry.rssi_min === entry.rssi_max ? "" : `${entry.rssi_min} – `}${entry.rssi_max} dBm`;
    return `${entry.number}. ${first === last ? "" : `${first} – `}${last} s ${t("ago")} · ${entry.count} × ${t("heard")}${strengths}`;
  }

  // Lines are kept, and only their numbers change.
  function show(entries) {
    const isKept = new Set(entries.map((entry) => entry.number));
    for (const [number, line] of lines) {
      if (isKept.has(number)) continue;
      line.item.remove();
      lines.delete(number);
    }
    entries.forEach((entry, index) => {
      if (!lines.has(entry.number)) {
        lines.set(entry.number, makeLine(entry, entries[index - 1]));
        list.prepend(lines.get(entry.number).item);
      }
      setText(lines.get(entry.number).head, tell(entry));
    });
  }

  async function read() {
    clearTimeout(timer);
    if (!whole.open) return;
    try {
      if (!document.hidden) show((await ask("GET", `devices/${identifier}/advertisements`)).advertisements);
    } finally {
      // Until it is closed, or the page shows something else.
      clearTimeout(timer);
      if (whole.open && whole.isConnected) timer = setTimeout(() => read().catch(() => {}), AGAIN_MS);
    }
  }
  whole.addEventListener("toggle", attempt(read));
  return whole;
}
