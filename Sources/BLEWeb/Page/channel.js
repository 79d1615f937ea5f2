// L2CAP channels of a device, and those that devices have opened to this explorer: written to, paused, measured and closed; what came and
// went, with how much and how fast.

import {attempt, button, element, foreign, labelled, inert, select, setText, spaced} from "./dom.js";
import {ask} from "./live.js";
import {meter, shownRate} from "./rate.js";
import {writeFormats} from "./values.js";
import {t} from "./words.js";

const SHOWN = 12;
// Of one piece, which may have thousands.
const SHOWN_OCTETS = 64;

function shownPiece({time_ms: time, way, value}) {
  const octets = value.hex.slice(0, 2 * SHOWN_OCTETS);
  const rest = (value.hex.length - octets.length) / 2;
  return element("li", {}, element("small", {class: "faint"}, `${(time / 1000).toFixed(3)} s ${t(way)} `),
    element("span", {class: "octets"}, spaced(octets) + (rest ? ` … +${rest}` : "")),
    value.utf8 ? element("span", {}, foreign(value.utf8.slice(0, SHOWN_OCTETS))) : null);
}

// How fast a channel carries octets: measured by the server, followed by all pages.
function measureForm(path, title) {
  const count = element("input", {type: "number", min: 1, max: 16_777_216, value: 262_144, "aria-label": `${t("Octets")} ${title}`});
  const progress = element("progress", {max: 1, value: 0, hidden: true, "aria-label": `${t("Throughput")} ${title}`});
  const result = element("p", {class: "number", role: "status"});
  const start = element("button", {"aria-label": `${t("Measure")} ${title}`}, t("Measure"));
  const cancel = button(t("Cancel"), () => ask("DELETE", `${path}/throughput`), {"aria-label": `${t("Cancel")} ${title}`, hidden: true});
  const form = element("form", {class: "bar", onsubmit: attempt(() =>
    ask("POST", `${path}/throughput`, {octets: Number(count.value)}))}, labelled(t("Octets"), count), start, cancel);
  const way = (word, octets, rate) => `${t(word)} ${octets} ${t("octets")}${rate === null ? "" : ` · ${shownRate(rate)} ${t("octets/s")}`}`;
  return {
    element: element("details", {class: "measure"}, element("summary", {}, t("Throughput")),
      element("p", {class: "faint"}, t("Sends so many octets of no meaning, and counts those that come back.")), form, progress, result),
    draw(isOpen, data) {
      form.hidden = !isOpen;
      const isRunning = data?.state === "running";
      progress.hidden = !isRunning;
      progress.value = data ? data.sent / data.total_octets : 0;
      start.disabled = isRunning;
      cancel.hidden = !isRunning;
      setText(result, !data ? "" : [way("sent", data.sent, data.sent_octets_per_second), way("received", data.received, data.received_octets_per_second),
        `${data.seconds.toFixed(3)} s`, data.message ? inert(data.message) : ""].filter(Boolean).join(" — "));
    },
  };
}

function oneChannel(base, first) {
  const path = `${base}/channels/${first.channel}`;
  const isServed = base === "serving";
  const title = `${t("Channel")} ${first.channel}`;
  const [incoming, outgoing] = [meter(), meter()];
  let data = first;
  let pieces = [];
  const status = element("p", {role: "status"});
  const counts = element("p", {class: "number faint", "aria-live": "off"});
  const list = element("ol", {class: "history", reversed: true});
  const value = element("input", {autocomplete: "off", spellcheck: "false", "aria-label": `${t("Value")} ${title}`});
  const format = select(writeFormats.map((name) => [name, name]), {"aria-label": `${t("Format")} ${title}`});
  const form = element("form", {class: "bar", onsubmit: attempt(() =>
    ask("POST", `${path}/send`, {value: value.value, format: format.value}))}, value, format,
  element("button", {"aria-label": `${t("Send")} ${title}`}, t("Send")));
  const pause = button(t("Stop reading"), () => ask("PUT", path, {paused: !data.paused}), {"aria-pressed": "false", "aria-label": `${t("Stop reading")} ${title}`});
  const close = button(t("Close"), () => ask("DELETE", path), {"aria-label": `${t("Close")} ${title}`});
  const controls = element("div", {class: "bar"}, pause, close);
  const measured = measureForm(path, title);
  ask("GET", path).then((found) => {
    data = found;
    const seen = new Set(pieces.map(({number}) => number));
    pieces = [...found.pieces.filter(({number}) => !seen.has(number)), ...pieces].slice(-SHOWN);
    draw();
  }, () => {});

  function draw() {
    setText(status, (isServed ? `${t("from")} ${data.peer} · ` : "")
      + (data.open ? `PSM ${data.psm} · ${t("open")}` : `PSM ${data.psm} · ${t("ended")}: ${inert(data.reason ?? "")}`));
    const rate = (one) => data.open ? ` · ${shownRate(one.per("octets"))} ${t("octets/s")}` : "";
    setText(counts, `${t("received")} ${data.received} ${t("octets")}${rate(incoming)} — ${t("sent")} ${data.sent} ${t("octets")}${rate(outgoing)}`
      + (data.waiting ? ` — ${data.waiting} ${t("octets wait for credits")}` : ""));
    pause.setAttribute("aria-pressed", String(data.paused));
    controls.hidden = form.hidden = !data.open;
    measured.draw(data.open, data.throughput);
    list.replaceChildren(...pieces.slice().reverse().map(shownPiece));
  }

  return {
    draw,
    isOpen: () => data.open,
    element: element("section", {class: "characteristic", "aria-label": title}, element("h4", {}, title), status, counts, form, controls,
      measured.element, list),
    take(name, event) {
      if (name === "channel_data") {
        pieces.push(event);
        if (pieces.length > SHOWN) pieces.shift();
        data = {...data, received: event.received, sent: event.sent};
      } else {
        data = {...data, ...event};
      }
      incoming.take({octets: data.received});
      outgoing.take({octets: data.sent});
    },
  };
}

// The channels below one address of the interface. `added` is called with each.
function channelList(base, refresh, added) {
  const channels = new Map();
  const list = element("div");

  function add(data) {
    const made = oneChannel(base, data);
    channels.set(data.channel, made);
    list.prepend(made.element);
    added(data);
    // As many as the server keeps.
    if (channels.size > 16) {
      const [oldest, view] = channels.entries().next().value;
      view.element.remove();
      channels.delete(oldest);
    }
    return made;
  }

  ask("GET", `${base}/channels`).then((found) => {
    for (const data of found.channels) if (!channels.has(data.channel)) add(data);
    refresh();
  }, () => {});

  return {
    element: list,
    isEmpty: () => channels.size === 0,
    take(name, data) {
      let one = channels.get(data.channel);
      // A device that was opened again counts its channels from 1.
      if (one && data.open && !one.isOpen()) {
        one.element.remove();
        channels.delete(data.channel);
        one = null;
      }
      one ??= name === "channel" ? add(data) : null;
      one?.take(name, data);
    },
    draw() { for (const one of channels.values()) one.draw(); },
  };
}

export function channelsView(identifier, refresh) {
  const base = `devices/${identifier}`;
  const psm = element("input", {type: "number", min: 1, max: 255, "aria-label": "PSM"});
  const form = element("form", {class: "bar", onsubmit: attempt(() =>
    ask("POST", `${base}/channels`, psm.value === "" ? {} : {psm: Number(psm.value)}))},
  labelled("PSM", psm), element("button", {}, t("Open a channel")));
  const channels = channelList(base, refresh, () => { section.open = true; });
  const section = element("details", {class: "channels"}, element("summary", {}, t("L2CAP channels")),
    element("p", {class: "faint"}, t("Without a PSM: what the device's own characteristic says.")), form, channels.element);
  return {
    element: section,
    take: channels.take,
    // With the state of the session: a channel needs a link.
    draw(isReady) {
      form.hidden = !isReady;
      section.hidden = !isReady && channels.isEmpty();
      channels.draw();
    },
  };
}

// Those that devices have opened to the profile that is published; `opened` is called with each.
export function servedChannelsView(refresh, opened) {
  const status = element("p", {role: "status"});
  const channels = channelList("serving", refresh, opened);
  const section = element("section", {class: "channels", "aria-label": t("L2CAP channels")}, element("h3", {}, t("L2CAP channels")), status, channels.element);
  return {
    element: section,
    take: channels.take,
    draw(psm) {
      section.hidden = psm === null && channels.isEmpty();
      setText(status, psm === null ? "" : `PSM ${psm}`);
      channels.draw();
    },
  };
}
