// The questions of pairings, as a dialogue that every page shows. The first answer counts.

import {attempt, button, element, inert, setText} from "./dom.js";
import {ask, state} from "./live.js";
import {t} from "./words.js";

const dialogue = () => document.getElementById("pairing");
let shown = null;
let before = null;

const sentences = {
  "display-passkey": "Type these digits on the other device:",
  "enter-passkey": "Enter the six digits that the other device shows:",
  compare: "Does the other device show the same digits?",
  confirm: "Pair? The identity of the device is not verified.",
  "replace-bond": "Replace the keys that are kept? The device has not proved that it is the same.",
};

function content(question) {
  const who = inert(question.peer.name ?? question.peer.address);
  const answer = (accept, passkey) => ask("POST", `pairings/${question.number}`, passkey === undefined ? {accept} : {accept, passkey});
  const passkey = element("input", {inputmode: "numeric", pattern: "[0-9]{6}", maxlength: 6, autocomplete: "one-time-code", required: true,
    "aria-label": t("Passkey")});
  const parts = [
    element("h2", {id: "pairing-title"}, `${t("Pairing with")} `, element("bdi", {}, who)),
    element("p", {}, t(sentences[question.kind])), question.digits ? element("p", {class: "digits"}, question.digits) : null,
    element("p", {class: "faint"}, `${question.method} · ${question.peer.address} · ${
      question.occasion === "unasked" ? t("the device has begun, without a cause on this side") : t("asked for on this side")}`),
  ];
  const refuse = button(t("Refuse"), () => answer(false));
  if (question.kind === "enter-passkey") {
    return element("form", {onsubmit: attempt(() => answer(true, passkey.value))}, parts, passkey,
      element("div", {class: "bar"}, element("button", {}, t("Pair")), refuse));
  }
  const accept = question.kind === "display-passkey" ? null : button(t("Pair"), () => answer(true));
  return element("form", {onsubmit: (event) => event.preventDefault()}, parts, element("div", {class: "bar"}, accept, refuse));
}

// Shows the first question that is open, or none.
export function drawPairing() {
  const question = state.pairings[0] ?? null;
  if (question?.number === shown) return;
  shown = question?.number ?? null;
  const place = dialogue();
  if (question) {
    if (!place.open) before = document.activeElement;
    place.replaceChildren(content(question));
    if (!place.open) place.showModal();
  } else if (place.open) {
    place.close();
    before?.focus?.();
  }
}

export function startPairing() {
  // Escape would hide the question in this page alone: it is a refusal.
  dialogue().addEventListener("cancel", attempt(async (event) => {
    event.preventDefault();
    if (shown !== null) await ask("POST", `pairings/${shown}`, {accept: false});
  }));
}

// The devices with which the adapter has paired.
export function bondsView(main) {
  const list = element("ul", {class: "plain"});
  const status = element("p", {role: "status"});
  async function read() { show(await ask("GET", "bonds")); }
  function show({bonds}) {
    setText(status, bonds.length ? "" : t("The adapter has paired with no device."));
    list.replaceChildren(...bonds.map((bond) => {
      const name = inert(bond.name ?? bond.address);
      return element("li", {class: "bar"}, element("span", {}, element("bdi", {}, name), element("small", {class: "faint"},
        ` ${bond.address} · ${bond.protection ?? ""}`)),
      button(t("Remove keys"), async () => show(await ask("DELETE", `bonds/${bond.address}`)), {"aria-label": `${t("Remove keys")} ${name}`}));
    }));
  }
  main.replaceChildren(element("h2", {}, t("Bonds")), status, list);
  attempt(read)();
  return {draw() {}, read};
}
