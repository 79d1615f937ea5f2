// How fast a characteristic takes writes without response: measured by the server, followed by all pages.

import {attempt, button, element, inert, labelled, setText} from "./dom.js";
import {ask} from "./live.js";
import {shownRate} from "./rate.js";
import {t} from "./words.js";

export function throughputView(base, body, title) {
  const count = element("input", {type: "number", min: 1, max: 16_777_216, value: 65_536, "aria-label": `${t("Octets")} ${title}`});
  const progress = element("progress", {max: 1, value: 0, hidden: true, "aria-label": `${t("Throughput")} ${title}`});
  const result = element("p", {class: "number", role: "status"});
  const start = element("button", {"aria-label": `${t("Measure")} ${title}`}, t("Measure"));
  const cancel = button(t("Cancel"), () => ask("DELETE", `${base}/throughput`), {"aria-label": `${t("Cancel")} ${title}`, hidden: true});
  const form = element("form", {class: "bar", onsubmit: attempt(() =>
    ask("POST", `${base}/throughput`, {...body, octets: Number(count.value)}))}, labelled(t("Octets"), count), start, cancel);
  return {
    element: element("details", {}, element("summary", {}, t("Throughput")),
      element("p", {class: "faint"}, t("Writes so many octets without response, with octets of no meaning to the device.")), form, progress, result),
    // An event of a measurement of this characteristic.
    take(data) {
      const isRunning = data.state === "running";
      progress.hidden = !isRunning;
      progress.value = data.octets / data.total_octets;
      start.disabled = isRunning;
      cancel.hidden = !isRunning;
      const parts = [`${data.octets} ${t("octets")}`, `${data.seconds.toFixed(3)} s`];
      if (data.octets_per_second !== null) parts.push(`${shownRate(data.octets_per_second)} ${t("octets/s")}`);
      parts.push(`${data.value_length} ${t("octets in each value")}`);
      if (data.mtu !== null) parts.push(`MTU ${data.mtu}`);
      if (data.message) parts.push(inert(data.message));
      setText(result, parts.join(" · "));
    },
  };
}
