// The explorer as a peripheral: a profile of the tool's, or the text of a profile file.

import {attempt, button, element, foreign, inert, labelled, select, setText, spaced} from "./dom.js";
import {ask, listen, state} from "./live.js";
import {writeFormats} from "./values.js";
import {t} from "./words.js";

export function serveView(main, refresh) {
  const status = element("p", {role: "status"});
  const profile = select([...(state.serving?.profiles ?? []).map((name) => [name, name]), ["", t("A file …")]],
    {onchange: () => { file.parentElement.hidden = profile.value !== ""; }});
  const name = element("input", {autocomplete: "off", maxlength: 60});
  const file = element("textarea", {rows: 12, spellcheck: "false", class: "octets"});
  const fileLabel = labelled(t("Text of a profile file"), file);
  fileLabel.hidden = true;
  const stop = button(t("End"), () => ask("DELETE", "serving"));
  const tree = element("div");
  const accesses = element("ol", {class: "history", reversed: true, "aria-live": "off"});
  const form = element("form", {class: "bar", onsubmit: attempt(async () => {
    const body = profile.value === "" ? {file: file.value} : {profile: profile.value};
    if (name.value !== "") body.name = name.value;
    await ask("PUT", "serving", body);
  })}, labelled(t("Profile"), profile), labelled(t("Advertised name"), name), element("button", {}, t("Publish")), stop, fileLabel);
  main.replaceChildren(element("h2", {}, t("Be a device")), status, form, tree, element("h3", {}, t("Who uses it")), accesses);
  let drawn = null;

  const end = listen((kind, data) => {
    if (kind !== "access") return;
    accesses.prepend(element("li", {}, element("small", {class: "faint"}, `${new Date().toISOString().slice(11, 23)} `),
      `${t(data.access)} ${data.characteristic} `, data.value ? element("span", {class: "octets"}, spaced(data.value.hex)) : null, " ",
      data.value?.utf8 ? foreign(data.value.utf8) : null, element("small", {class: "faint"}, ` ${data.central ?? ""}`)));
    while (accesses.childElementCount > 100) accesses.lastElementChild.remove();
  });

  function part(one) {
    const title = `${one.name ?? t("Characteristic")} ${one.characteristic}`;
    const value = element("input", {autocomplete: "off", "aria-label": `${t("Value")} ${title}`});
    const format = select(writeFormats.map((name) => [name, name]), {"aria-label": `${t("Format")} ${title}`});
    return element("section", {class: "characteristic"},
      element("h4", {}, title, element("small", {class: "faint"}, ` ${one.properties.join(", ")} · ${one.subscribers} ${t("subscribers")}`)),
      element("p", {class: "value"}, element("span", {class: "octets"}, spaced(one.value.hex) || t("(empty)")), " ",
        one.value.utf8 ? foreign(one.value.utf8) : null),
      element("form", {class: "bar", onsubmit: attempt(() => ask("POST", "serving/push",
        {service: one.service, characteristic: one.characteristic, value: value.value, format: format.value}))},
      value, format, element("button", {"aria-label": `${t("Set and notify")} ${title}`}, t("Set and notify"))));
  }

  return {
    draw() {
      const serving = state.serving;
      setText(status, !serving?.serving ? t("Nothing is published.")
        : `${inert(serving.name ?? "")}: ${serving.advertising ? t("advertising") : t("not advertising")}${serving.problem ? `, ${inert(serving.problem)}` : ""}`);
      stop.disabled = !serving?.serving;
      const wanted = JSON.stringify(serving?.characteristics ?? []);
      // While a value is typed the fields stay.
      if (wanted === drawn || tree.contains(document.activeElement) && document.activeElement.tagName === "INPUT" && drawn !== null
        && document.activeElement.value !== "" && tree.childElementCount === serving.characteristics.length) return;
      drawn = wanted;
      tree.replaceChildren(...(serving?.characteristics ?? []).map(part));
    },
    close: end,
  };
}
