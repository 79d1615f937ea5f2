// A profile composed by clicks. Each changes the text of a profile file, which can be typed in as well: the text is all there is, and the
// server, which reads it when it is published, says what is wrong with it.

import {attempt, button, download, element, foreign, inert, labelled, select} from "./dom.js";
import {t} from "./words.js";

const PROPERTIES = ["read", "write", "writeWithoutResponse", "notify", "indicate"];
const WRITES = ["write", "writeWithoutResponse"];
const NOTIFICATIONS = ["notify", "indicate"];
// As ble l2cap publishes it: a service with the characteristic in which centrals look for the PSM.
const PSM = {
  uuid: "B7E1A0C4-5D3F-4E86-9A27-1C0F8E6D4B52",
  characteristics: [{uuid: "ABDD3056-28FA-441D-A470-55A75A52553A", properties: ["read"]}],
};
const LONGEST = 65_536;

const list = (value) => Array.isArray(value) ? value : [];
const text = (value) => typeof value === "string" ? value : JSON.stringify(value ?? null);

// The text as a profile that can be changed.
function parsed(area) {
  if (area.value.trim() === "") return {services: []};
  let found;
  try {
    found = JSON.parse(area.value);
  } catch (error) {
    throw new Error(`${t("The text is no JSON: correct it first.")} ${error.message}`);
  }
  if (found === null || typeof found !== "object" || Array.isArray(found)) throw new Error(t("The text is no object: correct it first."));
  if (!Array.isArray(found.services)) found.services = [];
  return found;
}

// Works on the textarea `area`.
export function composer(area) {
  const outline = element("ul", {"aria-label": t("Profile")});
  const name = element("input", {autocomplete: "off", maxlength: 248});
  const service = element("input", {autocomplete: "off", spellcheck: "false", maxlength: 36, required: true});
  const place = select([]);
  const uuid = element("input", {autocomplete: "off", spellcheck: "false", maxlength: 36, required: true});
  const value = element("input", {autocomplete: "off", spellcheck: "false"});
  const kind = select([["utf8", "utf8"], ["hex", "hex"], ["uint8", "uint8"]]);
  const effect = select([["store", t("keeps it")], ["echo", t("keeps and notifies it")], ["ignore", t("drops it")]]);
  const paired = element("input", {type: "checkbox"});
  const seconds = element("input", {type: "number", min: 0.01, max: 86_400, step: "any", placeholder: "—"});
  const boxes = PROPERTIES.map((property) => [property, element("input", {type: "checkbox", checked: property === "read"})]);

  // `change(profile)` changes the profile that the text is.
  function edit(change) {
    const profile = parsed(area);
    change(profile);
    area.value = `${JSON.stringify(profile, null, 2)}\n`;
    draw();
  }

  function valueOf() {
    if (kind.value !== "uint8") return {[kind.value]: value.value};
    const number = Number(value.value);
    return {uint8: value.value.trim() === "" || Number.isNaN(number) ? value.value : number};
  }

  function addCharacteristic(profile) {
    const into = profile.services[Number(place.value)];
    if (into === undefined) throw new Error(t("Add a service first."));
    const properties = boxes.filter(([, box]) => box.checked).map(([property]) => property);
    const made = {uuid: uuid.value.trim(), properties};
    if (paired.checked) {
      made.permissions = [...properties.includes("read") ? ["readEncryptionRequired"] : [],
        ...properties.some((one) => WRITES.includes(one)) ? ["writeEncryptionRequired"] : []];
    }
    if (value.value !== "") made.value = valueOf();
    if (effect.value !== "store" && properties.some((one) => WRITES.includes(one))) made.on_write = effect.value;
    if (seconds.value !== "" && properties.some((one) => NOTIFICATIONS.includes(one))) {
      made.notify = {every: Number(seconds.value), values: [valueOf()]};
    }
    into.characteristics = [...list(into.characteristics), made];
  }

  function removed(label, change) {
    return button(t("Remove"), () => {
      edit(change);
      outline.tabIndex = -1;
      outline.focus();
    }, {"aria-label": `${t("Remove")} ${label}`});
  }

  function serviceItem(one, index) {
    const title = inert(text(one?.uuid));
    return element("li", {}, `${t("Service")} `, foreign(text(one?.uuid)), " ", removed(title, (profile) => { profile.services.splice(index, 1); }),
      element("ul", {}, list(one?.characteristics).map((characteristic, number) => element("li", {}, foreign(text(characteristic?.uuid)),
        element("small", {class: "faint"}, ` ${inert(list(characteristic?.properties).map(text).join(", "))} ${inert(text(characteristic?.value ?? ""))} `),
        removed(`${inert(text(characteristic?.uuid))} ${title}`, (profile) => { profile.services[index].characteristics.splice(number, 1); })))));
  }

  function draw() {
    let profile;
    try {
      profile = parsed(area);
    } catch (error) {
      outline.replaceChildren(element("li", {class: "bad"}, inert(error.message)));
      return;
    }
    const before = place.value;
    place.replaceChildren(...profile.services.map((one, index) => element("option", {value: index}, inert(text(one?.uuid)))));
    if (before !== "" && Number(before) < profile.services.length) place.value = before;
    const channel = profile.channel === undefined ? null
      : element("li", {}, `${t("L2CAP channel")} `, removed(t("L2CAP channel"), (one) => { delete one.channel; }));
    outline.replaceChildren(...[profile.name === undefined ? null : element("li", {}, `${t("Name")} `, foreign(text(profile.name))), channel,
      ...profile.services.map(serviceItem)].filter(Boolean));
  }

  const form = (label, work, ...controls) => element("form", {class: "bar", "aria-label": label, onsubmit: attempt(work)}, ...controls,
    element("button", {}, label));
  const file = element("input", {type: "file", accept: ".json", onchange: attempt(async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > LONGEST) throw new Error(t("A profile file has at most 64 KiB here."));
    area.value = await chosen.text();
    draw();
  })});
  area.addEventListener("input", draw);
  draw();
  return {
    element: element("section", {"aria-label": t("Compose")}, element("h3", {}, t("Compose")),
      form(t("Set the name"), () => edit((profile) => {
        if (name.value === "") delete profile.name; else profile.name = name.value;
      }), labelled(t("Name of the profile"), name)),
      form(t("Add a service"), () => {
        edit((profile) => {
          profile.services.push({uuid: service.value.trim(), characteristics: []});
        });
        place.value = String(place.options.length - 1);
        service.value = "";
      }, labelled(t("UUID of the service"), service)),
      form(t("Add a characteristic"), () => {
        edit(addCharacteristic);
        uuid.value = value.value = "";
      }, labelled(t("In the service"), place), labelled(t("UUID of the characteristic"), uuid),
      element("div", {class: "bar", role: "group", "aria-label": t("Properties")},
        boxes.map(([property, box]) => element("label", {class: "check"}, box, property)),
        element("label", {class: "check"}, paired, t("for paired devices"))),
      labelled(t("Value of the characteristic"), value), labelled(t("Kind of value"), kind), labelled(t("A write"), effect),
      labelled(t("Notified each (seconds)"), seconds)),
      element("div", {class: "bar"}, button(t("Add an L2CAP channel"), () => edit((profile) => {
        profile.channel = {encryption: false};
        profile.services.push(structuredClone(PSM));
      })), button(t("Save the profile"), () => download("profile.json", "application/json", area.value)), labelled(t("Read a profile file"), file)),
      outline),
  };
}
