// Recordings of "ble record", which are shown in the log and played at the speed at which they were recorded, or faster.

import {attempt, button, element, labelled, select, setText} from "./dom.js";
import {ask} from "./live.js";
import {t} from "./words.js";

const LONGEST = 50_000;
// How often a recording that plays is drawn.
const FRAME = 100;

// The controls of a log: which recording is shown, and how far it is played. `change()` is called when others are to be shown.
export function recordings(change) {
  const source = select([["", t("What happens now")]], {onchange: attempt(open)});
  const play = button(t("Play"), toggle);
  const speed = select([1, 10, 100, 1_000].map((factor) => [String(factor), `${factor}×`]), {value: "1"});
  const place = element("input", {type: "range", min: 0, max: 0, step: 1, value: 0, oninput: () => moved()});
  const time = element("output", {class: "number"});
  const more = button(t("Read on"), read);
  const controls = element("div", {class: "bar", hidden: true}, play, labelled(t("Speed"), speed), labelled(t("Place"), place), time, more);
  const choice = labelled(t("Shown"), source);
  choice.hidden = true;
  let number = "";
  let entries = [];
  let next = 0;
  let timer = null;

  ask("GET", "recordings").then(({recordings}) => {
    choice.hidden = recordings.length === 0;
    source.append(...recordings.map((one) => element("option", {value: String(one.number)}, one.name)));
  }).catch(() => {});

  async function open() {
    stop();
    [number, entries, next] = [source.value, [], 0];
    controls.hidden = number === "";
    if (number !== "") await read();
    change();
  }

  async function read() {
    const wanted = number;
    const {entries: found, next_ms: rest} = await ask("GET", `recordings/${wanted}/${next}`);
    // Another one may have been chosen meanwhile.
    if (wanted !== number) return;
    entries = [...entries, ...found.map(({time_ms: at, ...entry}) => ({...entry, time: new Date(at)}))].slice(-LONGEST);
    next = rest;
    more.hidden = rest === null;
    place.max = Math.max(0, entries.length - 1);
    place.value = place.max;
    moved();
  }

  function moved() {
    const entry = entries[place.value];
    setText(time, entry ? entry.time.toISOString().replace("T", " ").slice(0, 23) : t("(empty)"));
    place.setAttribute("aria-valuetext", time.textContent);
    change();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    setText(play, t("Play"));
  }

  function toggle() {
    if (timer !== null) return stop();
    // From the beginning, where it is at its end.
    if (Number(place.value) >= Number(place.max)) place.value = 0;
    let at = entries[place.value]?.time.getTime();
    if (at === undefined) return;
    setText(play, t("Pause"));
    timer = setInterval(() => {
      at += FRAME * Number(speed.value);
      let index = Number(place.value);
      while (index + 1 < entries.length && entries[index + 1].time.getTime() <= at) index++;
      if (index !== Number(place.value)) {
        place.value = index;
        moved();
      }
      // A log that is not shown any more plays no further.
      if (index + 1 >= entries.length || !place.isConnected) stop();
    }, FRAME);
  }

  return {
    choice, controls,
    // The entries up to the place; `null` where what happens now is to be shown.
    shown: () => number === "" ? null : entries.slice(0, Number(place.value) + 1),
  };
}
