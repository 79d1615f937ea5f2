// The page of `ble web`: its views, chosen by the address, drawn at most once for a frame.

import {chatView, startChat} from "./chat.js";
import {bondsView, drawPairing, startPairing} from "./pairing.js";
import {deviceView} from "./device.js";
import {element, select, setText} from "./dom.js";
import {fleetView} from "./fleet.js";
import {follow, listen, state} from "./live.js";
import {choose, language, t} from "./words.js";
import {logView} from "./log.js";
import {radioView} from "./radio.js";
import {scanView} from "./scan.js";
import {serveView} from "./serve.js";

const main = document.getElementById("main");
const views = [["scan", "Scan", scanView], ["serve", "Be a device", serveView], ["chat", "Chat", chatView], ["bonds", "Bonds", bondsView], ["radio", "Radio", radioView],
  ["fleet", "Fleet", fleetView], ["log", "Log", logView]];
let view = null;

function header() {
  setText(document.querySelector(".skip"), t("Skip to content"));
  const picker = select([["en", "English"], ["zh", "中文"]], {"aria-label": t("Language"), onchange: () => choose(picker.value)});
  picker.value = language;
  document.getElementById("language").append(picker);
  const links = document.getElementById("views");
  links.setAttribute("aria-label", t("Views"));
  links.replaceChildren(...views.map(([name, title]) => element("a", {href: `#/${name}`, "data-view": name}, t(title))));
}

function route() {
  const [name, argument] = location.hash.replace(/^#\//, "").split("/");
  view?.close?.();
  const found = views.find(([other]) => other === name);
  view = name === "device" && argument ? deviceView(main, refresh, decodeURIComponent(argument)) : (found?.[2] ?? scanView)(main, refresh);
  for (const link of document.querySelectorAll("#views a")) {
    const isHere = link.dataset.view === (found?.[0] ?? "scan");
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.focus({preventScroll: true});
  window.scrollTo(0, 0);
  refresh();
}

// However many events come, the page is drawn once for a frame. The time that it takes is the page's own measure.
let isDue = false;
function refresh() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    const start = performance.now();
    draw();
    frames.push(performance.now() - start);
    if (frames.length > 1_000) frames.splice(0, 500);
  });
}
const frames = [];
window.frames_ms = frames;

function draw() {
  const {adapter, state: power, scanning} = state.status;
  setText(document.getElementById("status"), state.isAway ? t("The server is away; trying again.")
    : `${t(adapter ?? "")} · ${t(power ?? "…")}${scanning ? `, ${t("scanning")}` : ""} · ${state.devices.size} ${t("devices")}`);
  document.body.classList.toggle("away", state.isAway);
  document.querySelector("[data-view=radio]").hidden = !state.status.radio;
  document.querySelector("[data-view=fleet]").hidden = !state.status.fleet;
  drawPairing();
  view.draw();
}

header();
startPairing();
startChat();
listen(refresh);
addEventListener("hashchange", route);
addEventListener("resize", refresh);
route();
follow();
