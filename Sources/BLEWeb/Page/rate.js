// How fast something comes: of counts that only grow, how much more each second, over the last seconds.

const SPAN = 5_000;
const STEP = 250;
// Seconds: what comes in bursts looks fast over less.
const LEAST = 1;

// `take(counts)` adds counts, such as {values: 10, octets: 200}; `per(name)` is the rate, or null where nothing has come for a while.
export function meter() {
  let samples = [];

  function recent() {
    const start = performance.now() - SPAN;
    while (samples.length > 1 && samples[0].time < start) samples.shift();
    return samples;
  }

  return {
    take(counts) {
      const time = performance.now();
      const last = samples.at(-1);
      // A subscription that begins again counts from the beginning.
      if (last && Object.keys(counts).some((name) => counts[name] < last.counts[name])) samples = [];
      // However fast it comes, few are kept.
      if (samples.length > 1 && time - samples.at(-2).time < STEP) samples[samples.length - 1] = {time, counts};
      else samples.push({time, counts});
    },
    per(name) {
      const all = recent();
      if (all.length < 2 || performance.now() - all.at(-1).time > SPAN) return null;
      const seconds = (Math.max(performance.now(), all.at(-1).time) - all[0].time) / 1_000;
      return seconds >= LEAST ? (all.at(-1).counts[name] - all[0].counts[name]) / seconds : null;
    },
  };
}

// "12.0" of a small rate, "1530" of a large one.
export function shownRate(rate) { return rate === null ? "0" : rate < 100 ? rate.toFixed(1) : String(Math.round(rate)); }
