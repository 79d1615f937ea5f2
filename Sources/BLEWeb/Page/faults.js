// Faults of the devices on the simulated air: when one strikes, and what it does then.

import {button, element, inert, labelled, select, setText} from "./dom.js";
import {ask, state} from "./live.js";
import {t} from "./words.js";

const EXAMPLES = ["read 2A19 nth 2 error 0x0E", "connection_time 5 disconnect"];

export function faultsView() {
  const device = select([], {onchange: () => show()});
  const words = element("textarea", {rows: 4, spellcheck: "false"});
  const list = element("ul");
  const strikes = element("p", {class: "faint", role: "status"});
  let offered = "";

  function find() { return state.radio?.devices.find((one) => one.name === device.value); }

  // What is being typed stays: only another device brings other words.
  function show() {
    words.value = (find()?.faults ?? []).map((one) => one.words).join("\n");
    draw();
  }

  function draw() {
    const names = (state.radio?.devices ?? []).map((one) => one.name);
    if (offered !== JSON.stringify(names)) {
      offered = JSON.stringify(names);
      const chosen = device.value;
      device.replaceChildren(...names.map((name) => element("option", {value: name}, inert(name))));
      if (names.includes(chosen)) device.value = chosen; else show();
    }
    const one = find();
    const sentences = (one?.faults ?? []).map(({fault}) => fault);
    if (list.childElementCount !== sentences.length || [...list.children].some((item, index) => item.textContent !== sentences[index])) {
      list.replaceChildren(...sentences.map((sentence) => element("li", {}, sentence)));
    }
    setText(strikes, sentences.length ? `${t("Struck")}: ${one.strikes}` : t("It has no faults."));
  }

  return {
    draw,
    element: element("details", {class: "faults"}, element("summary", {}, t("Faults")),
      element("form", {class: "bar", onsubmit: (event) => event.preventDefault()}, labelled(t("Device"), device),
        labelled(t("One fault on each line"), words), button(t("Set faults"), () =>
          ask("PUT", `radio/devices/${encodeURIComponent(device.value)}/faults`, {faults: words.value}))), list, strikes,
      element("p", {class: "faint"}, t("For example:"), EXAMPLES.map((example) => [" ", element("code", {}, example)]).flat())),
  };
}
