// A chat with a device nearby: who is there, and what was said. All browsers are one side of it.

import {attempt, button, element, foreign, inert, labelled, setText} from "./dom.js";
import {ask, listen, state} from "./live.js";
import {kept} from "./kept.js";
import {t} from "./words.js";

const title = document.title;
const marks = {waiting: "…", delivered: "✓", lost: "✗"};
let unread = 0;

const isHere = () => location.hash === "#/chat" && !document.hidden;

function mark() {
  document.title = unread ? `(${unread}) ${title}` : title;
  const link = document.querySelector("[data-view=chat]");
  if (!link) return;
  setText(link, unread ? `${t("Chat")} (${unread})` : t("Chat"));
  link.classList.toggle("unread", unread > 0);
}

// Each message of the other side makes itself felt, whatever is looked at.
export function startChat() {
  listen((kind, data) => {
    if (kind !== "message" || data.own) return;
    document.body.classList.remove("felt");
    // The animation begins again only after the page was laid out without it.
    void document.body.offsetWidth;
    document.body.classList.add("felt");
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(80);
    if (!isHere()) unread++;
    mark();
  });
  const read = () => {
    if (!isHere()) return;
    unread = 0;
    mark();
  };
  addEventListener("hashchange", read);
  document.addEventListener("visibilitychange", read);
}

function message(one, name) {
  return element("li", {class: one.own ? "own" : "other"},
    element("small", {class: "faint"}, `${new Date(one.said_ms).toLocaleTimeString()} `,
      foreign(one.own ? t("you") : name), one.delivery ? ` ${marks[one.delivery]} ${t(one.delivery)}` : ""),
    element("p", {}, foreign(one.text), one.cut ? element("em", {}, ` ${t("(cut)")}`) : null));
}

export function chatView(main, refresh) {
  const status = element("p", {role: "status"});
  const code = element("p", {});
  const name = element("input", {autocomplete: "off", maxlength: 64, required: true});
  const partner = element("input", {autocomplete: "off", maxlength: 64});
  const encrypted = element("input", {type: "checkbox"});
  name.value = kept.get("chat name", "");
  const join = element("form", {class: "bar", onsubmit: attempt(async () => {
    const body = {name: name.value, encrypted: encrypted.checked};
    if (partner.value !== "") body.partner = partner.value;
    await ask("PUT", "chat", body);
    kept.set("chat name", name.value);
  })}, labelled(t("Your name"), name), labelled(t("Only with"), partner),
  element("label", {class: "check"}, encrypted, t("encrypted")), element("button", {}, t("Join")));
  const list = element("ol", {class: "chat", role: "log", "aria-label": t("Messages"), tabindex: 0});
  const text = element("input", {autocomplete: "off", maxlength: 16_000, "aria-label": t("Message")});
  const say = element("form", {class: "bar say", onsubmit: attempt(async () => {
    const said = text.value;
    if (said === "") return;
    text.value = "";
    try {
      await ask("POST", "chat/messages", {text: said});
    } catch (error) {
      text.value = said;
      throw error;
    }
  })}, text, element("button", {}, t("Send")), button(t("Leave"), () => ask("DELETE", "chat")));
  main.replaceChildren(element("h2", {}, t("Chat")), status, code, join, list, say);
  unread = 0;
  mark();
  let drawn = null;

  return {
    draw() {
      const chat = state.chat;
      if (!chat) return;
      const other = chat.partner?.name ?? t("the other side");
      join.hidden = chat.joined;
      say.hidden = !chat.joined;
      const words = {off: t("Not in the chat."), searching: t("Looking for the other side …"), present: `${inert(other)} ${t("is there.")}`,
        away: `${inert(other)} ${t("is out of reach; what you say is delivered later.")}`, left: `${inert(other)} ${t("has left.")}`};
      setText(status, `${words[chat.state]}${chat.problem ? ` (${inert(chat.problem)})` : ""}`);
      setText(code, chat.partner?.code ? `${t("Encrypted; both sides show")} ${chat.partner.code}` : "");
      const wanted = JSON.stringify([other, chat.messages]);
      if (wanted === drawn) return;
      const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 20;
      drawn = wanted;
      list.replaceChildren(...chat.messages.map((one) => message(one, other)));
      if (isAtEnd) list.scrollTop = list.scrollHeight;
    },
    close() {},
  };
}
