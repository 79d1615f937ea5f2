// Simulated devices: out of a capture that this browser has as a file, and out of a connected device.

import {attempt, element, foreign, inert, labelled, setText} from "./dom.js";
import {ask} from "./live.js";
import {t} from "./words.js";

// As many octets as a request has room for.
const LONGEST = 720 * 1024;

// A file as base64.
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Error(t("The file cannot be read.")));
    reader.readAsDataURL(file);
  });
}

// Calls `done` with the name of the device file that was made.
export function cloneForm(done) {
  const capture = element("input", {type: "file", accept: ".btsnoop,.log,.pklg,.pcap,.pcapng"});
  const device = element("input", {autocomplete: "off", maxlength: 248});
  const name = element("input", {autocomplete: "off", maxlength: 64, spellcheck: "false"});
  const anonymize = element("input", {type: "checkbox"});
  const outcome = element("div", {class: "outcome", role: "status"});
  const make = element("button", {}, t("Make a clone"));
  const send = attempt(async () => {
    const file = capture.files[0];
    if (!file) throw new Error(t("Choose a capture first."));
    if (file.size > LONGEST) throw new Error(t("The capture is too long here: ble clone takes longer ones."));
    outcome.replaceChildren(t("Learning …"));
    make.disabled = true;
    try {
      const body = {capture: await base64(file), anonymize: anonymize.checked, file: name.value};
      if (device.value !== "") body.device = device.value;
      const clone = await ask("POST", "clones", body);
      outcome.replaceChildren(
        element("p", {}, `${inert(clone.name)}: ${t("reproduced")} ${(100 * clone.share).toFixed(2)} % · ${clone.reproduced}/${clone.device_pdus} PDUs · `
          + `${clone.attributes} ${t("attributes")}, ${clone.rules} ${t("rules")}, ${clone.streams} ${t("streams")}`),
        element("ul", {class: "plain faint"}, clone.notes.map((note) => element("li", {}, inert(note)))));
      done(name.value);
    } catch (error) {
      outcome.replaceChildren(element("p", {class: "bad"}, inert(error.message)));
    } finally {
      make.disabled = false;
    }
  });
  return element("details", {}, element("summary", {}, t("Make a clone of a capture …")),
    element("form", {class: "bar", onsubmit: send}, labelled(t("Capture (btsnoop, pklg, pcap)"), capture),
      labelled(t("Name of the clone's file"), name), labelled(t("Which device"), device),
      element("label", {class: "check"}, anonymize, t("Replace names and values")), make), outcome);
}

// A name for a file, made of that of a device.
function fileName(name) { return `${name.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "").slice(0, 50) || "device"}-clone`; }

// What was discovered of a connected device, as a device that this explorer is.
export function liveCloneForm(identifier) {
  const name = element("input", {autocomplete: "off", maxlength: 64, spellcheck: "false", required: true});
  const read = element("input", {type: "checkbox", checked: true});
  const publish = element("input", {type: "checkbox", checked: true});
  const outcome = element("div", {class: "outcome", role: "status"});
  const make = element("button", {}, t("Make a clone"));
  let isNamed = false;
  const form = element("form", {class: "bar", onsubmit: attempt(async () => {
    outcome.replaceChildren("…");
    make.disabled = true;
    try {
      const clone = await ask("POST", `devices/${identifier}/clone`, {file: name.value, read: read.checked});
      if (publish.checked) await ask("PUT", "serving", {device_file: clone.file});
      outcome.replaceChildren(
        element("p", {}, foreign(clone.name), `: ${clone.characteristics} ${t("characteristics")}, ${clone.values} ${t("values")} · `,
          element("a", {href: "#/serve"}, publish.checked ? t("It is published.") : t("Be a device"))),
        element("ul", {class: "plain faint"}, clone.notes.map((note) => element("li", {}, inert(note)))));
    } catch (error) {
      outcome.replaceChildren(element("p", {class: "bad"}, inert(error.message)));
    } finally {
      make.disabled = false;
    }
  })}, labelled(t("Name of the clone's file"), name), element("label", {class: "check"}, read, t("Read what has no value yet")),
  element("label", {class: "check"}, publish, t("Publish it")), make);
  const section = element("details", {class: "clone"}, element("summary", {}, t("Make a clone of this device …")), form, outcome);
  return {
    element: section,
    draw(isReady, deviceName) {
      form.hidden = !isReady;
      section.hidden = !isReady && outcome.childElementCount === 0;
      if (isNamed) return;
      isNamed = true;
      name.value = fileName(deviceName);
    },
  };
}
