// The explorer as a peripheral: a profile of the tool's, the text of a profile file, or the device of a device file.

import {attempt, button, element, foreign, inert, labelled, select, setText, spaced} from "./dom.js";
import {ask, listen, state} from "./live.js";
import {servedChannelsView} from "./channel.js";
import {cloneForm} from "./clone.js";
import {composer} from "./compose.js";
import {fileForm, shownReading} from "./vendor.js";
import {writeFormats} from "./values.js";
import {t} from "./words.js";

const DEVICE = "device:";
const OWN_TEXT = "";

export function serveView(main, refresh) {
  const status = element("p", {role: "status"});
  const profiles = element("optgroup", {label: t("Profiles")});
  const devices = element("optgroup", {label: t("Vendors' devices and clones")});
  const profile = element("select", {onchange: () => showText()}, profiles, devices);
  const name = element("input", {autocomplete: "off", maxlength: 60});
  const file = element("textarea", {rows: 12, spellcheck: "false", class: "octets"});
  const fileLabel = labelled(t("Text of a profile file"), file);
  const composed = composer(file);
  // Of the text, each with its line and column.
  const mistakes = element("ul", {class: "plain bad", role: "status"});
  const channels = servedChannelsView(refresh, ({peer}) => tell(`${t("channel")} `, element("small", {class: "faint"}, peer)));

  function showText() { fileLabel.hidden = composed.element.hidden = mistakes.hidden = profile.value !== OWN_TEXT; }

  showText();
  const stop = button(t("End"), () => ask("DELETE", "serving"));
  const tree = element("div");
  const accesses = element("ol", {class: "history", reversed: true, "aria-live": "off"});
  const form = element("form", {class: "bar", onsubmit: attempt(async () => {
    const body = profile.value === OWN_TEXT ? {file: file.value}
      : profile.value.startsWith(DEVICE) ? {device_file: profile.value.slice(DEVICE.length)} : {profile: profile.value};
    if (name.value !== "") body.name = name.value;
    mistakes.replaceChildren();
    try {
      await ask("PUT", "serving", body);
    } catch (error) {
      mistakes.replaceChildren(...error.message.split("\n").map((line) => element("li", {}, inert(line))));
      throw error;
    }
  })}, labelled(t("Profile"), profile), labelled(t("Advertised name"), name), element("button", {}, t("Publish")), stop, fileLabel);
  main.replaceChildren(element("h2", {}, t("Be a device")), status, form, mistakes, composed.element, tree,
    channels.element, element("h3", {}, t("Who uses it")), accesses,
    element("h3", {}, t("More devices")), fileForm(choose), cloneForm(choose));
  let drawn = null;

  // A page that begins with this view knows them only after the server has answered.
  function fillProfiles() {
    const before = profile.value;
    profiles.replaceChildren(...(state.serving?.profiles ?? []).map((one) => element("option", {value: one}, one)),
      element("option", {value: OWN_TEXT}, t("A file …")));
    profile.value = before || state.serving?.profiles[0] || OWN_TEXT;
    showText();
  }

  // The devices that a file describes; a file that cannot be simulated is for the other side only.
  async function readFiles(chosen) {
    const {files} = await ask("GET", "device-files");
    // Only now: a person may have chosen while it was asked.
    const before = chosen ?? profile.value;
    const playable = files.filter((one) => one.simulation || one.recording);
    devices.replaceChildren(...playable.map((one) => element("option", {value: DEVICE + one.file}, `${one.file} — ${inert(one.name)}`)));
    if ([...profile.options].some((one) => one.value === before)) profile.value = before;
    showText();
  }

  function choose(file) { readFiles(DEVICE + file).catch(() => {}); }

  function tell(...parts) {
    accesses.prepend(element("li", {}, element("small", {class: "faint"}, `${new Date().toISOString().slice(11, 23)} `), ...parts));
    while (accesses.childElementCount > 100) accesses.lastElementChild.remove();
  }

  const octets = (value) => value ? element("span", {class: "octets"}, spaced(value.hex)) : null;

  const end = listen((kind, data) => {
    if (kind === "all" && profiles.childElementCount < 2) fillProfiles();
    if (kind === "all" || kind === "files") readFiles().catch(() => {});
    if (kind === "access") {
      tell(`${t(data.access)} ${data.characteristic} `, octets(data.value) ?? "", " ", data.value?.utf8 ? foreign(data.value.utf8) : "",
        element("small", {class: "faint"}, ` ${data.central ?? ""}`));
    }
    if ((kind === "channel" || kind === "channel_data") && data.identifier === null) channels.take(kind, data);
    if (kind === "command") {
      tell(`${t(data.outcome)} `, element("strong", {}, inert(data.command ?? "")), octets(data.value) ?? "",
        ...Object.entries(data.fields).map(([field, reading]) => element("span", {}, ` ${inert(field)}: `, foreign(shownReading(reading)))));
    }
  });
  fillProfiles();
  readFiles().catch(() => {});

  function characteristic(one) {
    const title = `${one.name ?? t("Characteristic")} ${one.characteristic}`;
    const value = element("input", {autocomplete: "off", "aria-label": `${t("Value")} ${title}`});
    const format = select(writeFormats.map((name) => [name, name]), {"aria-label": `${t("Format")} ${title}`});
    return element("section", {class: "characteristic"},
      element("h4", {}, title, element("small", {class: "faint"}, ` ${one.properties.join(", ")} · ${one.subscribers} ${t("subscribers")}`)),
      element("p", {class: "value"}, element("span", {class: "octets"}, spaced(one.value.hex) || t("(empty)")), " ",
        one.value.utf8 ? foreign(one.value.utf8) : null),
      element("form", {class: "bar", onsubmit: attempt(() => ask("POST", "serving/push",
        {service: one.service, characteristic: one.characteristic, instance: one.instance, value: value.value, format: format.value}))},
      value, format, element("button", {"aria-label": `${t("Set and notify")} ${title}`}, t("Set and notify"))));
  }

  // A field of the state: its value, and a form that sets it. The form stays while the value changes: it may be in use.
  function stateField(field) {
    const label = `${t("Set")} ${inert(field.name)}`;
    const control = field.words.length ? select(field.words.map((word) => [word, inert(word)]), {"aria-label": label})
      : element("input", {autocomplete: "off", spellcheck: "false", "aria-label": label});
    const shown = element("strong", {class: "number"});
    const problem = element("small", {class: "bad", "aria-live": "polite"});
    const form = element("form", {class: "bar field", onsubmit: async (event) => {
      event.preventDefault();
      setText(problem, "");
      try {
        await ask("PUT", `serving/state/${encodeURIComponent(field.name)}`, {value: control.value});
      } catch (error) {
        setText(problem, inert(error.message));
      }
    }}, labelled(inert(field.name), control), shown,
    element("button", {"aria-label": label}, t("Set")), element("small", {class: "faint"}, inert(field.expected ?? "")), problem);
    return {
      element: form,
      set(now) {
        if (shown.textContent === inert(shownReading(now))) return;
        shown.replaceChildren(foreign(shownReading(now)));
        if (document.activeElement !== control) control.value = now.word ?? String(now.value);
      },
    };
  }

  let fields = [];

  function deviceParts(one) {
    fields = one.state.map(stateField);
    return [one.recording ? element("p", {class: "faint"}, t("A recording is played as it was: it has no state.")) : null,
      ...fields.map((field) => field.element),
      element("div", {class: "bar"}, one.notifications.map((notification) => button(inert(notification),
        () => ask("POST", `serving/notifications/${encodeURIComponent(notification)}`), {"aria-label": `${t("Send")} ${inert(notification)}`})))]
      .filter(Boolean);
  }

  return {
    draw() {
      const serving = state.serving;
      setText(status, !serving?.serving ? t("Nothing is published.")
        : `${inert(serving.name ?? "")}: ${serving.advertising ? t("advertising") : t("not advertising")}${serving.problem ? `, ${inert(serving.problem)}` : ""}`);
      stop.disabled = !serving?.serving;
      channels.draw(serving?.psm ?? null);
      const device = serving?.device;
      const wanted = JSON.stringify(device ? [device.file, device.state.map((field) => field.name)] : serving?.characteristics ?? []);
      // While a value is typed the fields stay.
      const isTyped = !device && tree.contains(document.activeElement) && ["INPUT", "SELECT"].includes(document.activeElement.tagName)
        && document.activeElement.value !== "";
      if (wanted !== drawn && !(isTyped && drawn !== null && tree.childElementCount > 0 && serving?.serving)) {
        drawn = wanted;
        tree.replaceChildren(...(device ? deviceParts(device) : (serving?.characteristics ?? []).map(characteristic)));
      }
      if (device) device.state.forEach((field, index) => fields[index]?.set(field));
    },
    close: end,
  };
}
