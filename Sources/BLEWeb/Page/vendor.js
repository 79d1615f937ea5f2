// A device that a file describes: a form for each command, and the fields of its state as they are told.

import {attempt, button, element, foreign, inert, labelled, select, setText} from "./dom.js";
import {ask, listen, state} from "./live.js";
import {t} from "./words.js";

let count = 0;

// A reading as `open` or `72 %`.
export function shownReading(reading) {
  return `${reading.word ?? reading.value}${reading.unit ? ` ${reading.unit}` : ""}`;
}

// The control for a parameter: a choice, a number with its range, or a text.
function control(parameter, attributes) {
  if (parameter.words.length) {
    const made = select([...(parameter.default === null ? [["", "—"]] : []), ...parameter.words.map((word) => [word, inert(word)])], attributes);
    made.value = parameter.default ?? "";
    return made;
  }
  const made = element("input", {
    autocomplete: "off", spellcheck: "false", placeholder: parameter.default ?? "", ...attributes,
    ...(parameter.as === "integer" ? {type: "number", min: parameter.minimum, max: parameter.maximum, step: 1} : {}),
    class: parameter.as === "hex" ? "octets" : null,
  });
  return made;
}

// The names of the parameters, with what is expected and what was wrong.
export function commandForm(command, perform) {
  const title = inert(command.name);
  const fields = command.parameters.map((parameter) => {
    const id = `parameter-${count++}`;
    const problem = element("small", {class: "bad", id, "aria-live": "polite"});
    const input = control(parameter, {"aria-label": `${title} ${inert(parameter.name)}`, "aria-describedby": id});
    const hint = [parameter.description, parameter.expected, parameter.unit].filter(Boolean).map(inert).join(" · ");
    return {
      name: parameter.name, input, problem,
      element: element("label", {}, element("span", {}, inert(parameter.name)), input, element("small", {class: "faint"}, hint), problem),
    };
  });
  const answer = element("output", {class: "answer"});
  const send = attempt(async () => {
    for (const field of fields) complainAt(field, "");
    answer.replaceChildren("…");
    const values = Object.fromEntries(fields.filter(({input}) => input.value !== "").map(({name, input}) => [name, input.value]));
    let found;
    try {
      found = await perform(command.name, values);
    } catch (error) {
      const placed = (error.detail?.fields ?? []).filter(({field}) => fields.some(({name}) => name === field));
      for (const {field, message} of placed) complainAt(fields.find(({name}) => name === field), inert(message));
      answer.replaceChildren(placed.length ? "" : element("span", {class: "bad"}, inert(error.message)));
      fields.find(({problem}) => problem.textContent !== "")?.input.focus();
      return;
    }
    const readings = Object.entries(found.answer ?? {});
    answer.replaceChildren(...(readings.length ? readings.map(([name, reading]) =>
      element("span", {}, `${inert(name)}: `, foreign(shownReading(reading)))) : [t("Done.")]));
  });
  // What is typed is judged by the server, as that of `ble command` is: the browser would stop at the first.
  return element("form", {class: "command", novalidate: true, onsubmit: send, "aria-label": title},
    element("h4", {}, title, element("small", {class: "faint"}, command.description ? ` ${inert(command.description)}` : "")),
    element("div", {class: "bar"}, fields.map((field) => field.element),
      element("button", {"aria-label": `${t("Perform")} ${title}`}, t("Perform"))), answer);
}

function complainAt(field, text) {
  setText(field.problem, text);
  field.input.setAttribute("aria-invalid", String(text !== ""));
}

// The state's fields in the order of the file, each with its unit.
export function stateList(description) {
  const all = [...description.notifications.flatMap((one) => one.fields), ...description.commands.flatMap((one) => one.results)];
  const names = [...new Set(all.map((field) => field.name))];
  const cells = new Map(names.map((name) => [name, element("dd", {class: "number"}, "—")]));
  return {
    element: element("dl", {class: "state", "aria-label": t("State"), "aria-live": "off"},
      names.map((name) => element("div", {}, element("dt", {}, inert(name)), cells.get(name)))),
    isEmpty: names.length === 0,
    take(fields) {
      for (const [name, reading] of Object.entries(fields)) {
        const cell = cells.get(name);
        if (cell && cell.textContent !== inert(shownReading(reading))) cell.replaceChildren(foreign(shownReading(reading)));
      }
    },
  };
}

// A place to put a file for this run, with its mistakes.
export function fileForm(done) {
  const name = element("input", {autocomplete: "off", maxlength: 64, spellcheck: "false"});
  const text = element("textarea", {rows: 10, spellcheck: "false", class: "octets"});
  const mistakes = element("ul", {class: "plain bad", role: "status"});
  const send = attempt(async () => {
    mistakes.replaceChildren();
    try {
      await ask("PUT", `device-files/${encodeURIComponent(name.value)}`, {text: text.value});
    } catch (error) {
      if (!error.detail?.mistakes) throw error;
      mistakes.replaceChildren(...error.detail.mistakes.map((one) =>
        element("li", {}, `${t("Line")} ${one.line}, ${t("column")} ${one.column}: ${inert(one.message)}`)));
      return;
    }
    done(name.value);
  });
  return element("details", {}, element("summary", {}, t("Put a device file …")),
    element("form", {class: "bar", onsubmit: send}, labelled(t("Name of the file"), name),
      element("button", {}, t("Put")), labelled(t("Text of a device file"), text)), mistakes);
}

export function vendorView(identifier) {
  const base = `devices/${identifier}`;
  const file = select([]);
  const attach = button(t("Open with this file"), () => ask("POST", `${base}/device-file`, {file: file.value}));
  const detach = button(t("Without a file"), () => ask("DELETE", `${base}/device-file`));
  const about = element("p", {class: "faint"});
  const body = element("div");
  const isOpen = () => (state.sessions.get(identifier)?.state ?? "idle") !== "idle";
  let shown = null;
  let fields = null;
  let isOver = false;

  async function readFiles(chosen) {
    const {files} = await ask("GET", "device-files");
    const name = state.devices.get(identifier)?.name?.toLowerCase();
    const before = chosen ?? file.value;
    file.replaceChildren(...files.map((one) => element("option", {value: one.file}, `${one.file} — ${inert(one.name)}`)));
    file.value = files.some((one) => one.file === before) ? before
      : files.find((one) => one.name.toLowerCase() === name)?.file ?? files[0]?.file ?? "";
  }

  async function readDevice() {
    const found = await ask("GET", `${base}/device-file`);
    if (isOver) return;
    detach.hidden = found.file === null;
    setText(about, found.file === null ? "" : [inert(found.file), found.description ? inert(found.description) : "",
      found.handshake ? `${t("verified by")} ${inert(found.handshake)}` : ""].filter(Boolean).join(" · "));
    if (found.file === null) {
      [shown, fields] = [null, null];
      body.replaceChildren();
      return;
    }
    const wanted = JSON.stringify([found.file, found.commands, found.notifications]);
    if (wanted !== shown) {
      shown = wanted;
      fields = stateList(found);
      body.replaceChildren(fields.isEmpty ? "" : element("div", {}, element("h4", {}, t("State")), fields.element),
        ...found.commands.map((command) => commandForm(command, (name, values) =>
          ask("POST", `${base}/commands/${encodeURIComponent(name)}`, {values}))));
    }
    fields.take(found.state);
  }

  const stop = listen((name, data) => {
    if (name === "files") readFiles().catch(() => {});
    if (name === "vendor" && data.identifier === identifier) {
      if (data.event === "state") fields?.take(data.fields);
      else readDevice().catch(() => {});
    }
    if (name === "all") { readFiles().catch(() => {}); readDevice().catch(() => {}); }
  });
  readFiles().catch(() => {});
  readDevice().catch(() => {});
  detach.hidden = true;

  return {
    element: element("section", {class: "vendor", "aria-label": t("Device file")}, element("h3", {}, t("Device file")),
      element("div", {class: "bar"}, labelled(t("Device file"), file), attach, detach), about, body,
      fileForm((name) => { readFiles(name).catch(() => {}); })),
    draw() { attach.disabled = !isOpen(); },
    close() {
      isOver = true;
      stop();
    },
  };
}
