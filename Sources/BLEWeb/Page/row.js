// A row of the table of devices. It is made once for a device in sight, and filled again in each frame.

import {button, element, foreign, inert, setText} from "./dom.js";
import {favourites} from "./choosing.js";
import {points} from "./chart.js";
import {t} from "./words.js";

export const ROW = 60;

// `star`, `compare` and `open` are called for its buttons.
export function deviceRow(identifier, {star, compare, open}) {
  const name = element("span", {class: "name"});
  const about = element("small");
  const line = element("polyline");
  const [rssi, interval, age] = [element("span"), element("span", {class: "wide"}), element("span")];
  const buttons = {
    star: button("☆", star, {class: "star"}), compare: button("∿", compare, {class: "star"}), open: button(t("Octets"), open, {class: "open"}),
  };
  const link = element("a", {href: `#/device/${identifier}`}, name, about);
  const item = element("li", {"data-identifier": identifier}, buttons.star, link,
    element("svg", {class: "line", viewBox: "0 0 96 26", "aria-hidden": "true"}, line),
    element("span", {class: "number"}, rssi, element("small", {}, interval, age)), buttons.compare, buttons.open);
  let [device, shownName, place] = [null, null, null];

  function label() {
    shownName = device.name ?? "";
    name.replaceChildren(shownName ? foreign(shownName) : t("(no name)"));
    const called = inert(shownName) || device.address || device.identifier;
    buttons.star.setAttribute("aria-label", `${t("Favourite")}: ${called}`);
    buttons.compare.setAttribute("aria-label", `${t("On the time line")}: ${called}`);
    buttons.open.setAttribute("aria-label", `${t("Octets")}: ${called}`);
  }

  // What the device has told: done again only after it has told more.
  function tell() {
    if (shownName !== (device.name ?? "")) label();
    item.className = device.stale ? "stale" : "";
    setText(about, [device.company, ...device.service_names, device.address].filter(Boolean).map(inert).join(" · "));
    line.setAttribute("points", points(device.strengths, 96, 26));
    setText(rssi, device.rssi === null ? "–" : `${device.rssi} dBm`);
    setText(interval, device.interval_ms === null ? "" : `${device.interval_ms} ms · `);
  }

  return {
    item, link,
    // `now` by the adapter's clock; `isOpened` and `slot` say whether its advertisement is opened, and its number on the time line.
    fill(new_, index, {now, isOpened, slot}) {
      if (device !== new_) {
        device = new_;
        tell();
      }
      if (place !== index) {
        place = index;
        item.style.top = `${index * ROW}px`;
      }
      const seconds = Math.max(0, Math.floor((now - device.last_seen_ms) / 1_000));
      setText(age, `${seconds < 1 ? "< 1" : seconds} s ${t("ago")}`);
      const isFavourite = favourites.has(identifier);
      setText(buttons.star, isFavourite ? "★" : "☆");
      setText(buttons.compare, slot === undefined ? "∿" : String(slot));
      setState(buttons.star, "aria-pressed", isFavourite);
      setState(buttons.compare, "aria-pressed", slot !== undefined);
      setState(buttons.open, "aria-expanded", isOpened);
    },
  };
}

function setState(target, name, isOn) {
  if (target.getAttribute(name) !== String(isOn)) target.setAttribute(name, String(isOn));
}
