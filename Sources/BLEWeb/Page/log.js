// What has happened since the page was opened: calls of this page, and events of all.

import {button, download, element, inert, labelled, select, setText} from "./dom.js";
import {state} from "./live.js";
import {t} from "./words.js";

const SHOWN = 300;

// One line for people.
export function sentence({kind, data}) {
  switch (kind) {
    case "call": return `${data.call} → ${data.status}, ${data.ms} ms`;
    case "news": return `${data.identifier.slice(0, 8)} ${data.text ?? data.event}`;
    case "value": return `${data.identifier.slice(0, 8)} ${data.way} ${data.characteristic} ${data.meaning ?? ""} (${data.value.hex})`;
    case "access": return `${data.access} ${data.characteristic}${data.value ? ` (${data.value.hex})` : ""}`;
    case "session": return `${data.identifier.slice(0, 8)} ${data.state}`;
    case "state": return `${data.state}${data.scanning ? ", scanning" : ""}`;
    case "radio": return `${data.running ? "running" : "stopped"} ${data.speed}× ${data.loss}`;
    case "pairing": return data.question;
    case "paired": return `${data.peer.name ?? data.peer.address}: ${data.paired ? data.method : data.message}`;
    default: return Object.values(data).filter((value) => typeof value !== "object").join(" ");
  }
}

const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
// A spreadsheet takes what begins so for a formula.
const field = (text) => quoted(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

export function csv(entries) {
  return ["time,kind,text,data", ...entries.map((entry) =>
    [entry.time.toISOString(), entry.kind, field(sentence(entry)), field(JSON.stringify(entry.data))].join(","))].join("\r\n") + "\r\n";
}

export function logView(main, refresh) {
  const filter = {text: "", kind: ""};
  let isPaused = false;
  let entries = [];
  const text = element("input", {type: "search", autocomplete: "off", oninput: () => { filter.text = text.value.toLowerCase(); refresh(); }});
  const kind = select([["", t("All")], ...["call", "state", "session", "news", "value", "pairing", "paired", "serving", "access", "radio"]
    .map((name) => [name, t(name)])], {onchange: () => { filter.kind = kind.value; refresh(); }});
  const pause = button(t("Pause"), () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    refresh();
  }, {"aria-pressed": "false"});
  const count = element("p", {class: "faint", role: "status"});
  const list = element("ol", {class: "log", reversed: true});
  main.replaceChildren(element("h2", {}, t("Log")), element("form", {class: "bar", onsubmit: (event) => event.preventDefault()},
    labelled(t("Filter"), text), labelled(t("Kind"), kind), pause,
    button(t("Save as CSV"), () => download("ble-log.csv", "text/csv", csv(entries))),
    button(t("Save as JSON"), () => download("ble-log.json", "application/json", JSON.stringify(entries, null, 1)))), count, list);
  const lines = new Map();

  function makeLine(entry) {
    const details = element("details", {}, element("summary", {},
      element("time", {class: "number", datetime: entry.time.toISOString()}, entry.time.toISOString().slice(11, 23)),
      element("span", {class: "kind"}, t(entry.kind)), inert(sentence(entry))));
    details.addEventListener("toggle", () => {
      if (details.childElementCount === 1) details.append(element("pre", {class: "octets"}, inert(JSON.stringify(entry.data, null, 1)).replaceAll("\\u{A}", "\n")));
    });
    return element("li", {}, details);
  }

  return {
    draw() {
      if (isPaused) return;
      entries = state.log.filter((entry) => (!filter.kind || entry.kind === filter.kind)
        && (!filter.text || `${sentence(entry)} ${JSON.stringify(entry.data)}`.toLowerCase().includes(filter.text)));
      setText(count, `${entries.length} / ${state.log.length}`);
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
