// A simulated device out of a capture that this browser has as a file.

import {attempt, element, inert, labelled, setText} from "./dom.js";
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
