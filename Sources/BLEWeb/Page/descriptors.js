// The descriptors of a characteristic: read together when they are asked for, then one by one, and written where that is allowed.

import {attempt, button, element, foreign, inert, select} from "./dom.js";
import {ask} from "./live.js";
import {writeFormats} from "./values.js";
import {t} from "./words.js";

function plain(value) {
  if (value === null) return "";
  return typeof value === "object" ? value.utf8 ?? value.hex ?? JSON.stringify(value) : String(value);
}

function shown({value, meaning, error}) {
  if (error) return [element("span", {class: "bad"}, inert(error))];
  return [meaning ? element("strong", {}, inert(meaning), " ") : null, foreign(plain(value))];
}

export function descriptorsView(base, body, title) {
  const list = element("ul", {class: "plain"});

  function row(descriptor) {
    const one = {...body, descriptor: descriptor.uuid, index: descriptor.index};
    const name = `${descriptor.name ?? t("Descriptor")} ${descriptor.uuid}`;
    const value = element("span", {"aria-live": "polite"}, ...shown(descriptor).filter(Boolean));
    const show = (found) => value.replaceChildren(...shown(found).filter(Boolean));
    const read = button(t("Read"), async () => show(await ask("POST", `${base}/descriptors/read`, one)),
      {"aria-label": `${t("Read")} ${name} ${title}`});
    return element("li", {}, element("div", {class: "bar"}, element("span", {}, `${name}: `, value), read),
      descriptor.writable ? form(one, `${name} ${title}`, show) : null);
  }

  function form(one, label, show) {
    const value = element("input", {autocomplete: "off", spellcheck: "false", "aria-label": `${t("Value")} ${label}`});
    const format = select(writeFormats.map((name) => [name, name]), {"aria-label": `${t("Format")} ${label}`});
    return element("form", {class: "bar", onsubmit: attempt(async () =>
      show(await ask("POST", `${base}/descriptors/write`, {...one, value: value.value, format: format.value})))},
    value, format, element("button", {"aria-label": `${t("Write")} ${label}`}, t("Write")));
  }

  const open = button(t("Descriptors"), async () => {
    const {descriptors} = await ask("POST", `${base}/descriptors`, body);
    list.replaceChildren(...descriptors.length ? descriptors.map(row) : [element("li", {}, t("It has none."))]);
  }, {"aria-label": `${t("Descriptors")} ${title}`});
  return {button: open, list};
}
