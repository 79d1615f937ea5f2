// A macro of a device: what is done at it in this page, recorded as steps. They are played again, one after the other, until one fails;
// saved and loaded as JSON.

import {attempt, button, download, element, foreign, inert, labelled, setText} from "./dom.js";
import {ask, listenToCalls} from "./live.js";
import {kept} from "./kept.js";
import {t} from "./words.js";

const FORMAT = "ble-macro/1";
const MOST_STEPS = 200;
const LONGEST_FILE = 262_144;
const LONGEST_TEXT = 16_384;
const LONGEST_WAIT = 600_000;
const MOST_VALUES = 64;
// Shorter pauses between two steps are not worth a step.
const LEAST_PAUSE = 200;

const ATTRIBUTES = {service: "string?", characteristic: "string", instance: "count?"};
// The members of each kind of step, with what they are; `?`: it may be left out.
const KINDS = {
  read: {...ATTRIBUTES, expect: "hex?"},
  write: {...ATTRIBUTES, value: "string", format: "string?", without_response: "flag?"},
  subscribe: ATTRIBUTES, unsubscribe: ATTRIBUTES,
  command: {command: "string", values: "values"},
  wait: {ms: "wait"},
};
const WORDS = {read: "Read", write: "Write", subscribe: "Subscribe", unsubscribe: "Unsubscribe", command: "Perform", wait: "Wait"};
const CHECKS = {
  string: (value) => typeof value === "string" && value.length <= LONGEST_TEXT,
  hex: (value) => typeof value === "string" && value.length <= 1_024 && /^([0-9a-f]{2})*$/i.test(value),
  count: (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
  flag: (value) => typeof value === "boolean",
  wait: (value) => Number.isInteger(value) && value >= 0 && value <= LONGEST_WAIT,
  values: (value) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length <= MOST_VALUES
    && Object.values(value).every(CHECKS.string),
};

function checkedStep(step, number) {
  const where = `${t("step")} ${number}: `;
  const members = step !== null && typeof step === "object" && Object.hasOwn(KINDS, step.do) ? KINDS[step.do] : null;
  if (!members) throw new Error(`${where}"do": ${t("expected")} ${Object.keys(KINDS).join(", ")}`);
  for (const name of Object.keys(step)) {
    if (name !== "do" && !Object.hasOwn(members, name)) throw new Error(`${where}"${name}": ${t("expected")} ${Object.keys(members).join(", ")}`);
  }
  for (const [name, kind] of Object.entries(members)) {
    if (step[name] === undefined && kind.endsWith("?")) continue;
    const check = kind.replace("?", "");
    if (!CHECKS[check](step[name])) throw new Error(`${where}"${name}": ${t("expected")} ${check}`);
  }
  return step;
}

// The steps of a macro's text. Its error says where the text is wrong.
export function readMacro(text) {
  if (text.length > LONGEST_FILE) throw new Error(t("A macro has at most 256 KiB."));
  const found = JSON.parse(text);
  if (found?.format !== FORMAT || !Array.isArray(found.steps)) throw new Error(`${t("This is no macro:")} "format": "${FORMAT}", "steps": [ … ]`);
  if (found.steps.length > MOST_STEPS) throw new Error(`${t("A macro has so many steps at most:")} ${MOST_STEPS}`);
  return found.steps.map((step, index) => checkedStep(step, index + 1));
}

const written = (steps) => `${JSON.stringify({format: FORMAT, steps}, null, 2)}\n`;

// The step that a request of the page was; null for one that is not recorded.
function stepOf(base, method, path, body) {
  if (method !== "POST" || !path.startsWith(`${base}/`)) return null;
  const [what, name, ...rest] = path.slice(base.length + 1).split("/");
  if (what === "commands" && name && !rest.length) return {do: "command", command: decodeURIComponent(name), values: {...body.values}};
  return name === undefined && ["read", "write", "subscribe", "unsubscribe"].includes(what) ? {do: what, ...body} : null;
}

function shown(step) {
  const about = step.do === "wait" ? `${step.ms} ms` : step.do === "command" ? `${step.command} ${JSON.stringify(step.values)}`
    : `${step.characteristic}${step.instance ? `[${step.instance}]` : ""}${step.do === "write" ? ` ${step.value} (${step.format ?? "hex"})` : ""}`;
  return [element("strong", {}, t(WORDS[step.do])), " ", foreign(about.length > 200 ? `${about.slice(0, 200)} …` : about)];
}

export function macrosView(identifier) {
  const base = `devices/${identifier}`;
  let steps = [];
  let isRecording = false;
  let lastTime = 0;
  // Of the step that is under way or has failed; null where none is.
  let current = null;
  let failed = null;
  // Ends what is played.
  let playing = null;

  const status = element("p", {role: "status"});
  const list = element("ol", {class: "macro", "aria-label": t("Steps")});
  const record = button(t("Record"), () => {
    isRecording = !isRecording;
    lastTime = performance.now();
    setText(status, isRecording ? t("Recording: what is done at this device in this page.") : "");
    draw();
  }, {"aria-pressed": "false"});
  const play = button(t("Play"), () => run());
  const stop = button(t("Stop"), () => playing?.abort());
  const clear = button(t("Clear"), () => change([]));
  const save = button(t("Save the macro"), () => download("macro.json", "application/json", written(steps)));
  const pauses = element("input", {type: "checkbox"});
  const file = element("input", {type: "file", accept: ".json", onchange: attempt(async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > LONGEST_FILE) throw new Error(t("A macro has at most 256 KiB."));
    const text = await chosen.text();
    file.value = "";
    change(readMacro(text));
  })});
  const duration = element("input", {type: "number", min: 0, max: LONGEST_WAIT, step: 1, value: 1_000, required: true});
  const wait = element("form", {class: "bar", onsubmit: attempt(() => add({do: "wait", ms: Number(duration.value)}))},
    labelled(t("Milliseconds"), duration), element("button", {}, t("Add a wait")));

  function change(next) {
    steps = next;
    current = failed = null;
    kept.set("macro", {format: FORMAT, steps});
    setText(status, "");
    draw();
  }

  function add(step) {
    if (steps.length >= MOST_STEPS) {
      isRecording = false;
      setText(status, `${t("A macro has so many steps at most:")} ${MOST_STEPS}`);
      return draw();
    }
    steps.push(step);
    kept.set("macro", {format: FORMAT, steps});
    draw();
  }

  const stopListening = listenToCalls((method, path, body) => {
    const step = isRecording && !playing ? stepOf(base, method, path, body ?? {}) : null;
    if (!step) return;
    const pause = Math.round(performance.now() - lastTime);
    lastTime = performance.now();
    if (pauses.checked && steps.length > 0 && pause >= LEAST_PAUSE) add({do: "wait", ms: Math.min(pause, LONGEST_WAIT)});
    add(step);
  });

  // A wait that ends early when what is played is ended.
  function rest(ms, signal) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, {once: true});
    });
  }

  async function perform({do: what, expect, ...body}, signal) {
    if (what === "wait") return rest(body.ms, signal);
    if (what === "command") return ask("POST", `${base}/commands/${encodeURIComponent(body.command)}`, {values: body.values});
    const found = await ask("POST", `${base}/${what}`, body);
    if (what === "read" && expect !== undefined && found.value.hex !== expect.toLowerCase()) {
      throw new Error(`${t("expected")} ${expect}, ${t("read")} ${found.value.hex || t("(empty)")}`);
    }
  }

  async function run() {
    if (playing || !steps.length) return;
    const ending = playing = new AbortController();
    isRecording = false;
    failed = null;
    for (let index = 0; index < steps.length && !ending.signal.aborted; index++) {
      current = index;
      setText(status, `${t("step")} ${index + 1} / ${steps.length}`);
      draw();
      try {
        await perform(steps[index], ending.signal);
      } catch (error) {
        failed = index;
        setText(status, `${t("Stopped at step")} ${index + 1}: ${inert(error.message)}`);
        break;
      }
    }
    if (failed === null) setText(status, ending.signal.aborted ? `${t("Stopped after step")} ${current + 1}` : `${t("Played:")} ${steps.length}`);
    current = playing = null;
    draw();
  }

  function item(step, index) {
    const number = index + 1;
    const isHere = index === current || index === failed;
    const expected = step.do !== "read" ? null : element("input", {autocomplete: "off", spellcheck: "false", class: "octets", disabled: playing !== null,
      placeholder: t("expected (hex)"), "aria-label": `${t("Expected value, step")} ${number}`, onchange: attempt(() => {
        const {expect, ...rest} = step;
        const next = expected.value.replace(/[\s:-]/g, "");
        // The list is not drawn again: what is typed into has the focus.
        steps[index] = checkedStep(next === "" ? rest : {...rest, expect: next}, number);
        kept.set("macro", {format: FORMAT, steps});
      })});
    if (expected) expected.value = step.expect ?? "";
    return element("li", {"aria-current": isHere ? "step" : null, class: index === failed ? "bad" : null}, element("span", {class: "bar"},
      element("span", {class: "octets"}, ...shown(step)), expected, button("×", () => {
        change(steps.toSpliced(index, 1));
        (list.children[Math.min(index, steps.length - 1)]?.querySelector("button") ?? record).focus();
      }, {"aria-label": `${t("Remove step")} ${number}`, disabled: playing !== null})));
  }

  function draw() {
    record.setAttribute("aria-pressed", String(isRecording));
    const isPlaying = playing !== null;
    for (const one of [record, clear, save, file]) one.disabled = isPlaying;
    play.disabled = isPlaying || !steps.length;
    stop.disabled = !isPlaying;
    list.replaceChildren(...steps.map(item));
  }

  // What an earlier version has kept may be none any more.
  try {
    steps = readMacro(JSON.stringify(kept.get("macro", {format: FORMAT, steps: []})));
  } catch {
    steps = [];
  }
  draw();
  return {
    element: element("details", {class: "macros"}, element("summary", {}, t("Macro")),
      element("div", {class: "bar"}, record, play, stop, clear, save, labelled(t("Load a macro"), file),
        element("label", {class: "check"}, pauses, t("with the pauses"))), wait, status, list),
    close() {
      playing?.abort();
      stopListening();
    },
  };
}
