// What has happened: calls of all pages and programs, and events, as the server keeps them.

import {attempt, button, download, element, inert, labelled, select, setText, spaced} from "./dom.js";
import {ask, state} from "./live.js";
import {field, table} from "./csv.js";
import {recordings} from "./recording.js";
import {t} from "./words.js";

const SHOWN = 300;

// A row of a recording has the device's name.
function recorded({name, identifier}) { return name ?? identifier?.slice(0, 8) ?? ""; }

// One line for people.
export function sentence({kind, data}) {
  switch (kind) {
    case "call": return `${data.call.replace("/api/v1/", "")} → ${data.status}, ${data.ms} ms${data.error ? `: ${data.error}` : ""}`;
    case "news": return `${data.identifier.slice(0, 8)} ${data.text ?? data.event}`;
    case "value": if (data.source) return `${recorded(data)} ${data.source} ${data.characteristic} (${data.value.hex})`;
      return `${data.identifier.slice(0, 8)} ${data.way} ${data.characteristic} ${data.meaning ?? ""} (${data.value.hex})`;
    case "event": return `${recorded(data)} ${data.kind} ${data.detail ?? ""}`;
    case "rssi": return `${recorded(data)} ${data.rssi} dBm`;
    case "connection": return `${recorded(data)} ${data.origin ?? ""} – ${data.ended ?? ""} ${data.ending ?? ""}`;
    case "fault": return `${data.device}: ${data.fault}`;
    case "access": return `${data.access} ${data.characteristic}${data.value ? ` (${data.value.hex})` : ""}`;
    case "session": return `${data.identifier.slice(0, 8)} ${data.state}`;
    case "state": return `${data.state}${data.scanning ? ", scanning" : ""}`;
    case "radio": return `${data.running ? "running" : "stopped"} ${data.speed}× ${data.loss}`;
    case "pairing": return data.question;
    case "paired": return `${data.peer.name ?? data.peer.address}: ${data.paired ? data.method : data.message}`;
    default: return Object.values(data).filter((value) => typeof value !== "object").join(" ");
  }
}

export function csv(entries) {
  return table(["time", "kind", "text", "data"],
    entries.map((entry) => [entry.time.toISOString(), entry.kind, field(sentence(entry)), field(JSON.stringify(entry.data))]));
}

function packetTable(packets) {
  if (packets.length === 0) return element("p", {class: "faint"}, t("Its packets are not kept any more, or are reports of advertisements."));
  return element("table", {class: "packets"}, element("thead", {}, element("tr", {}, element("th", {scope: "col"}, t("Packet")), element("th", {scope: "col"}, t("Octets")))),
    element("tbody", {}, packets.map(({text, hex}) => element("tr", {}, element("td", {}, inert(text)), element("td", {class: "octets"}, spaced(hex))))));
}

export function logView(main, refresh) {
  const filter = {text: "", kind: ""};
  let isPaused = false;
  let entries = [];
  const text = element("input", {type: "search", autocomplete: "off", oninput: () => { filter.text = text.value.toLowerCase(); refresh(); }});
  const kind = select([["", t("All")], ...["call", "state", "session", "news", "value", "pairing", "paired", "serving", "access", "radio", "fault", "event", "rssi", "connection"]
    .map((name) => [name, t(name)])], {onchange: () => { filter.kind = kind.value; refresh(); }});
  const pause = button(t("Pause"), () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    refresh();
  }, {"aria-pressed": "false"});
  const count = element("p", {class: "faint", role: "status"});
  // Where the packets can be had: not those of an adapter that belongs to the system's daemon.
  const packets = state.status.packets && element("a", {href: "api/v1/packets.btsnoop", download: "ble.btsnoop"}, t("Save packets as btsnoop"));
  const recorded = recordings(refresh);
  const list = element("ol", {class: "log", reversed: true});
  main.replaceChildren(element("h2", {}, t("Log")), element("form", {class: "bar", onsubmit: (event) => event.preventDefault()},
    recorded.choice, labelled(t("Filter"), text), labelled(t("Kind"), kind), pause,
    button(t("Save as CSV"), () => download("ble-log.csv", "text/csv", csv(entries))),
    button(t("Save as JSON"), () => download("ble-log.json", "application/json", JSON.stringify(entries, null, 1))), packets), recorded.controls, count, list);
  const lines = new Map();

  function makeLine(entry) {
    const details = element("details", {}, element("summary", {},
      element("time", {class: "number", datetime: entry.time.toISOString()}, entry.time.toISOString().slice(11, 23)),
      element("span", {class: "kind"}, t(entry.kind)), inert(sentence(entry))));
    details.addEventListener("toggle", attempt(async () => {
      if (details.childElementCount > 1) return;
      details.append(element("pre", {class: "octets"}, inert(JSON.stringify(entry.data, null, 1)).replaceAll("\\u{A}", "\n")));
      const {after, through} = entry.packets ?? {};
      if (packets && after !== through) details.append(packetTable((await ask("GET", `packets/${after}/${through}`)).packets));
    }));
    return element("li", {}, details);
  }

  return {
    draw() {
      if (isPaused) return;
      const all = recorded.shown() ?? state.log;
      entries = all.filter((entry) => (!filter.kind || entry.kind === filter.kind)
        && (!filter.text || `${sentence(entry)} ${JSON.stringify(entry.data)}`.toLowerCase().includes(filter.text)));
      setText(count, `${entries.length} / ${all.length}`);
      const shown = entries.slice(-SHOWN).reverse();
      const isShown = new Set(shown);
      // Lines are kept: one that is opened stays so.
      for (const [entry, line] of lines) {
        if (!isShown.has(entry)) {
          line.remove();
          lines.delete(entry);
        }
      }
      let next = list.firstElementChild;
      for (const entry of shown) {
        if (!lines.has(entry)) lines.set(entry, makeLine(entry));
        const line = lines.get(entry);
        if (line === next) next = next.nextElementSibling;
        else list.insertBefore(line, next);
      }
    },
  };
}
