// One device: the state of its session, the strength of its link, and its attributes.

import {advertisement} from "./advertisement.js";
import {button, element, foreign, inert, setText} from "./dom.js";
import {ask, listen, state} from "./live.js";
import {channelsView} from "./channel.js";
import {characteristicView} from "./characteristic.js";
import {chart} from "./chart.js";
import {liveCloneForm} from "./clone.js";
import {macrosView} from "./macros.js";
import {t} from "./words.js";
import {vendorView} from "./vendor.js";

export function deviceView(main, refresh, identifier) {
  const base = `devices/${identifier}`;
  const title = element("h2", {});
  const status = element("p", {role: "status"});
  const countdown = element("p", {class: "faint", "aria-live": "off"});
  const signal = chart(t("Strength"));
  const signalText = element("p", {class: "faint"});
  const strengths = [];
  const tree = element("div");
  const channels = channelsView(identifier, refresh);
  const vendor = vendorView(identifier);
  const clone = liveCloneForm(identifier);
  const macros = macrosView(identifier);
  const heard = element("details", {}, element("summary", {}, t("Advertisement")));
  let characteristics = new Map();
  let drawn = null;
  let isOver = false;
  // Values that came since the last frame.
  const touched = new Set();
  const connect = button(t("Connect"), () => ask("POST", `${base}/connect`));
  const disconnect = button(t("Disconnect"), () => ask("POST", `${base}/disconnect`));
  main.replaceChildren(element("p", {}, element("a", {href: "#/scan"}, `← ${t("Scan")}`)), title, status, countdown,
    element("div", {class: "bar"}, connect, disconnect), signalText, signal.element, heard, vendor.element, clone.element, macros.element, channels.element, tree);
  heard.addEventListener("toggle", () => {
    const device = state.devices.get(identifier);
    if (heard.open && device) heard.replaceChildren(heard.firstElementChild, advertisement(device));
  });
  if (!state.sessions.has(identifier)) {
    ask("GET", base).then((data) => { state.sessions.set(identifier, {...data, received: performance.now()}); refresh(); }, () => {});
  }

  function find({service, characteristic, instance}) {
    return characteristics.get(`${service}/${characteristic}${instance > 0 ? `[${instance}]` : ""}`);
  }

  function take(value, isOld = false) {
    const one = find(value);
    if (!one) return;
    one.take(value, isOld);
    touched.add(one);
  }

  // The values of all browsers, also those that others have read.
  const stop = listen((name, data) => {
    if (data.identifier !== identifier) return;
    if (name === "value") take(data);
    if (name === "throughput") find(data)?.measured(data);
    if (name === "channel" || name === "channel_data") channels.take(name, data);
  });

  // While the page is looked at; the clock of a simulated air may stand still, and its answer then comes late.
  async function measure() {
    for (; !isOver; await new Promise((resolve) => setTimeout(resolve, 2_000))) {
      const session = state.sessions.get(identifier);
      if (session?.state === "ready" && !document.hidden) {
        try {
          const found = await ask("GET", `${base}/signal`);
          if (found.rssi === null) continue;
          strengths.push(found.rssi);
          if (strengths.length > 60) strengths.shift();
          signal.set(strengths, " dBm");
          setText(signalText, `${found.rssi} dBm · ${t("longest write")} ${found.longest_write} / ${found.longest_write_without_response} ${t("octets")}${found.mtu === null ? "" : ` · MTU ${found.mtu}`}`);
        } catch {
          // The next one may be answered.
        }
      }
    }
  }
  measure();
  const timer = setInterval(refresh, 500);

  function makeTree(services) {
    characteristics = new Map();
    tree.replaceChildren(...services.map((service) => element("section", {class: "service"},
      element("h3", {}, service.name ?? t("Service"), element("small", {class: "faint"}, ` ${service.uuid}`)),
      service.characteristics.map((one) => {
        const view = characteristicView(identifier, service, one);
        characteristics.set(view.path, view);
        return view.element;
      }))));
    if (!services.length) return;
    ask("GET", `${base}/throughput`).then((found) => { if (found.state) find(found)?.measured(found); }, () => {});
    ask("GET", `${base}/values`).then((found) => {
      for (const value of found.values) take(value, true);
      refresh();
    }, () => {});
  }

  return {
    draw() {
      const session = state.sessions.get(identifier);
      const device = state.devices.get(identifier);
      const name = device?.name ?? session?.name ?? identifier;
      if (title.dataset.name !== name) {
        title.dataset.name = name;
        title.replaceChildren(foreign(name));
      }
      const isOpen = session !== undefined && session.state !== "idle";
      setText(status, session ? t(session.state) + (session.reason ? `: ${inert(session.reason)}` : "") : t("idle"));
      const left = session?.left_ms == null || session.state === "ready" ? null
        : Math.max(0, session.left_ms - (performance.now() - session.received));
      vendor.draw();
      setText(countdown, left === null ? "" : `${t("attempt")} ${session.attempt}, ${Math.ceil(left / 1000)} s ${t("left")}`);
      connect.disabled = isOpen && !session.state.startsWith("stopped");
      disconnect.disabled = !isOpen;
      const wanted = JSON.stringify(session?.services ?? []);
      if (wanted !== drawn) {
        drawn = wanted;
        makeTree(session?.services ?? []);
      }
      const subscribed = new Set(session?.subscribed ?? []);
      for (const [path, one] of characteristics) one.setSubscribed(subscribed.has(path));
      for (const one of touched) one.draw();
      channels.draw(session?.state === "ready");
      clone.draw(session?.state === "ready", name);
      touched.clear();
    },
    close() {
      isOver = true;
      stop();
      vendor.close();
      macros.close();
      clearInterval(timer);
    },
  };
}
