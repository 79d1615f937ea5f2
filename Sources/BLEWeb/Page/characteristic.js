// One characteristic: read, write, subscribe, its values with their history.

import {attempt, button, element, foreign, inert, select, setText, spaced} from "./dom.js";
import {ask} from "./live.js";
import {descriptorsView} from "./descriptors.js";
import {meter, shownRate} from "./rate.js";
import {throughputView} from "./throughput.js";
import {chart} from "./chart.js";
import {kept} from "./kept.js";
import {formats, number, writeFormats} from "./values.js";
import {t} from "./words.js";

const LONGEST_HISTORY = 200;
const SHOWN = 8;

function shownValue(value) {
  const parts = [];
  if (value.meaning) parts.push(element("strong", {}, inert(value.meaning)));
  parts.push(element("span", {class: "octets"}, spaced(value.value.hex) || t("(empty)")));
  for (const [name, text] of formats(value.value.hex, value.value.utf8)) {
    parts.push(element("span", {}, element("small", {class: "faint"}, `${name} `), foreign(text)));
  }
  return parts;
}

export function characteristicView(identifier, service, one) {
  const base = `devices/${identifier}`;
  const body = {service: service.uuid, characteristic: one.uuid, instance: one.instance};
  // Characteristics with the same UUIDs are told apart by their place.
  const place = one.instance > 0 ? `[${one.instance}]` : "";
  const path = `${service.uuid}/${one.uuid}${place}`;
  const title = `${one.name ?? t("Characteristic")} ${one.uuid}${place}`;
  const can = (...names) => names.some((name) => one.properties.includes(name));
  const values = [];
  // Counted by the server: what a page has missed is in it.
  let notified = 0;
  const arrivals = meter();
  const latest = element("p", {class: "value", "aria-live": "off"});
  const rate = element("span", {class: "faint number"});
  const list = element("ol", {class: "history", reversed: true});
  const history = element("details", {}, element("summary", {}, t("History")), list);
  const line = chart(title);
  const controls = element("div", {class: "bar"});
  let subscribe = null;

  if (can("read")) controls.append(button(t("Read"), () => ask("POST", `${base}/read`, body), {"aria-label": `${t("Read")} ${title}`}));
  if (can("notify", "indicate")) {
    subscribe = button(t("Subscribe"), () =>
      ask("POST", `${base}/${subscribe.getAttribute("aria-pressed") === "true" ? "unsubscribe" : "subscribe"}`, body),
    {"aria-pressed": "false", "aria-label": `${t("Subscribe")} ${title}`});
    controls.append(subscribe, rate);
  }
  const descriptors = descriptorsView(base, body, title);
  controls.append(descriptors.button);
  const throughput = can("writeWithoutResponse") ? throughputView(base, body, title) : null;

  function writeForm() {
    const written = kept.get(`written ${path}`, []);
    const choices = element("datalist", {id: `written-${identifier}-${path.replace(/\W/g, "-")}`},
      written.map(({value}) => element("option", {value})));
    const value = element("input", {autocomplete: "off", spellcheck: "false", list: choices.id, "aria-label": `${t("Value")} ${title}`,
      onchange: () => {
        const before = written.find((entry) => entry.value === value.value);
        if (before) format.value = before.format;
      }});
    const format = select(writeFormats.map((name) => [name, name]), {"aria-label": `${t("Format")} ${title}`});
    const unanswered = element("input", {type: "checkbox"});
    unanswered.checked = !can("write");
    unanswered.disabled = !(can("write") && can("writeWithoutResponse"));
    return element("form", {class: "bar", onsubmit: attempt(async () => {
      await ask("POST", `${base}/write`, {...body, value: value.value, format: format.value, without_response: unanswered.checked});
      const entry = {value: value.value, format: format.value};
      written.unshift(entry, ...written.splice(0).filter((other) => other.value !== entry.value).slice(0, 19));
      kept.set(`written ${path}`, written);
      choices.replaceChildren(...written.map((other) => element("option", {value: other.value})));
    })}, value, format, choices,
    can("write") && can("writeWithoutResponse") ? element("label", {class: "check"}, unanswered, t("without an answer")) : null,
    element("button", {"aria-label": `${t("Write")} ${title}`}, t("Write")));
  }

  function draw() {
    const last = values.at(-1);
    latest.replaceChildren(...(last ? shownValue(last) : []));
    list.replaceChildren(...values.slice(-SHOWN).reverse().map((value) =>
      element("li", {}, element("small", {class: "faint"}, `${(value.time_ms / 1000).toFixed(3)} s ${t(value.way)} `), ...shownValue(value))));
    line.set(values.filter((value) => value.way !== "written").map(number).filter((value) => value !== null));
  }

  return {
    path, draw,
    element: element("section", {class: "characteristic", "aria-label": title},
      element("h4", {}, one.name ?? t("Characteristic"), element("small", {class: "faint"}, ` ${one.uuid}${place} · ${one.properties.join(", ")}`)),
      controls, can("write", "writeWithoutResponse") ? writeForm() : null, descriptors.list, latest, line.element, throughput?.element, history),
    // What came before the page was opened says nothing of how fast it comes.
    take(value, isOld) {
      values.push(value);
      if (values.length > LONGEST_HISTORY) values.shift();
      if (value.way !== "notified") return;
      notified = value.number;
      if (!isOld) arrivals.take({values: value.number, octets: value.octets_so_far});
    },
    measured(data) { throughput?.take(data); },
    setSubscribed(isOn) {
      if (!subscribe) return;
      subscribe.setAttribute("aria-pressed", String(isOn));
      setText(subscribe, isOn ? t("Unsubscribe") : t("Subscribe"));
      setText(rate, isOn ? `${notified} · ${shownRate(arrivals.per("values"))}/s · ${shownRate(arrivals.per("octets"))} ${t("octets/s")}` : "");
    },
  };
}
