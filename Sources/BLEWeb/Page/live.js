// What the server knows: read once, then followed by its events. All pages that are open see the same.

import {complain} from "./dom.js";
import {t} from "./words.js";

export const state = {
  status: {}, devices: new Map(), sessions: new Map(), pairings: [], serving: null, chat: null, radio: null, fleet: null, isAway: false,
  // What has happened, newest last.
  log: [],
  // Counts changes of the table, so that it is sorted only after one.
  revision: 0,
  // The latest of all times at which a device was heard, by the adapter's clock, and when that became known.
  newest: {time: 0, received: 0},
};

const LONGEST_LOG = 5_000;
const listeners = new Set();
const callListeners = new Set();
let source = null;
let pause = 1_000;

// Calls `hear(name, data)` for each event, until the returned function is called.
export function listen(hear) {
  listeners.add(hear);
  return () => listeners.delete(hear);
}

// Calls `hear(method, path, body)` after each request of this page that was carried out, until the returned function is called.
export function listenToCalls(hear) {
  callListeners.add(hear);
  return () => callListeners.delete(hear);
}

// The time by the adapter's clock. That of a simulated air may stand still: there it is when something was last heard.
export function clock() { return state.newest.time + (state.status.radio ? 0 : performance.now() - state.newest.received); }

function heard(devices) {
  for (const {last_seen_ms: time} of devices) {
    if (time > state.newest.time) state.newest = {time, received: performance.now()};
  }
}

function tell(name, data) { for (const hear of listeners) hear(name, data); }

// One request. Its error has the server's message.
export async function ask(method, path, body) {
  let answer;
  try {
    answer = await fetch(`api/v1/${path}`, {
      method, headers: method === "GET" ? {} : {"Content-Type": "application/json"},
      body: method === "GET" ? undefined : JSON.stringify(body ?? {}),
    });
  } catch {
    throw new Error("the server does not answer");
  }
  const isDocument = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
  const content = isDocument ? await answer.json() : {error: {message: (await answer.text()).trim()}};
  if (!answer.ok) throw Object.assign(new Error(content.error?.message ?? `status ${answer.status}`), {detail: content.error});
  for (const hear of callListeners) hear(method, path, body);
  return content;
}

// What came before by another way, and comes again, is left out.
function note(entry) {
  if (entry.number <= (state.log.at(-1)?.number ?? 0)) return;
  state.log.push(entry);
  // A tenth at a time: to move all for each entry would take its time.
  if (state.log.length > LONGEST_LOG * 1.1) state.log.splice(0, state.log.length - LONGEST_LOG);
}

// The packets of an event are asked for with its entry, by the numbers that stand there.
function noteEvent(number, kind, {at_ms: time, packets, ...data}) { note({number, time: new Date(time), kind, data, packets}); }

// The entries that this page does not have, of which a server keeps more than events.
async function readLog() {
  const {entries, part} = await ask("GET", `log/${state.log.at(-1)?.number ?? 0}`);
  // After a long sleep of the machine there may have been more than are kept: the place of those that lack has a number of one of them.
  if (part && state.log.length > 0) {
    note({number: entries[0].number - 1, time: new Date(entries[0].time_ms), kind: "gap", data: {text: t("What happened before is not kept any more.")}, packets: {after: 0, through: 0}});
  }
  for (const {time_ms: time, ...entry} of entries) note({...entry, time: new Date(time)});
}

async function readAll() {
  const [table, status, sessions, pairings, serving] =
    await Promise.all(["devices", "status", "sessions", "pairings", "serving"].map((path) => ask("GET", path)));
  state.devices = new Map(table.devices.map((device) => [device.identifier, device]));
  state.newest = {time: 0, received: performance.now()};
  heard(table.devices);
  state.sessions = new Map(sessions.sessions.map((session) => [session.identifier, received(session)]));
  await readLog();
  Object.assign(state, {status, pairings: pairings.pairings, serving});
  state.radio = status.radio ? received(await ask("GET", "radio")) : null;
  state.fleet = status.fleet ? followed(await ask("GET", "fleet"), {gateways: new Map(), devices: new Map()}) : null;
  state.chat = await ask("GET", "chat");
  state.revision++;
  tell("all", {});
  // Events after the first of these answers: what comes twice does no harm.
  return table.last_event;
}

// With the moment in which it was received, by which the page counts on.
function received(data) { return {...data, received: performance.now()}; }

// A fleet with what has changed in it.
function followed({gateways, devices, gone_gateways: goneGateways, gone_devices: goneDevices, ...link}, before) {
  for (const name of goneGateways) before.gateways.delete(name);
  for (const name of goneDevices) before.devices.delete(name);
  for (const one of gateways) before.gateways.set(one.gateway, one);
  for (const one of devices) before.devices.set(one.device, one);
  return received({...link, gateways: before.gateways, devices: before.devices});
}

const takers = {
  fleet: (data) => { if (state.fleet) state.fleet = followed(data, state.fleet); },
  state: (data) => { state.status = data; },
  devices: (data) => {
    for (const device of data.devices) state.devices.set(device.identifier, device);
    heard(data.devices);
    state.revision++;
  },
  removed: (data) => {
    state.devices.delete(data.identifier);
    state.revision++;
  },
  session: (data) => { state.sessions.set(data.identifier, received(data)); },
  closed: (data) => { state.sessions.delete(data.identifier); },
  pairing: (data) => { state.pairings = [...state.pairings.filter((one) => one.number !== data.number), data]; },
  answered: (data) => { state.pairings = state.pairings.filter((one) => one.number !== data.number); },
  paired: (data) => { state.pairings = state.pairings.filter((one) => one.peer.address !== data.peer.address); },
  serving: (data) => { state.serving = data; },
  // Who joins begins with no messages.
  chat: (data) => { state.chat = {...data, messages: data.state === "searching" && !state.chat?.joined ? [] : state.chat?.messages ?? []}; },
  message: (data) => {
    const messages = state.chat?.messages ?? [];
    const index = messages.findIndex((one) => one.number === data.number);
    if (index < 0) messages.push(data);
    else messages[index] = data;
    if (messages.length > 500) messages.shift();
  },
  radio: (data) => { state.radio = received(data); },
  news: () => {}, value: () => {}, access: () => {}, command: () => {}, vendor: () => {}, channel: () => {}, channel_data: () => {}, throughput: () => {}, files: () => {}, call: () => {},
  // How often one has struck is in the map.
  fault: (data) => { for (const one of state.radio?.devices ?? []) if (one.name === data.device) one.strikes++; },
};

// Follows the server for as long as the page is open.
export async function follow() {
  let last;
  try {
    last = await readAll();
  } catch (error) {
    away();
    if (pause === 1_000) complain(error.message);
    return again();
  }
  pause = 1_000;
  source?.close();
  source = new EventSource(`api/v1/events?after=${last}`);
  for (const [name, take] of Object.entries(takers)) {
    source.addEventListener(name, (event) => {
      const data = JSON.parse(event.data);
      take(data);
      // The tables change four times a second: that is no news.
      if (name !== "devices" && name !== "fleet") noteEvent(Number(event.lastEventId), name, data);
      tell(name, data);
    });
  }
  source.addEventListener("reset", readAgain);
  source.addEventListener("open", () => { state.isAway = false; tell("open", {}); });
  source.addEventListener("error", () => {
    away();
    // The browser tries again by itself, but for a server that refuses, as a new one does.
    if (source.readyState === EventSource.CLOSED) again();
  });
}

// Once more if it is asked for meanwhile, however often: a server whose events are too many asks four times a second.
let reading = null;
let isAskedAgain = false;
function readAgain() {
  if (reading) {
    isAskedAgain = true;
    return;
  }
  reading = readAll().catch(again).finally(() => {
    reading = null;
    if (isAskedAgain) readAgain();
    isAskedAgain = false;
  });
}

function away() {
  state.isAway = true;
  tell("away", {});
}

function again() {
  setTimeout(follow, pause);
  pause = Math.min(pause * 2, 30_000);
}
