/// The script of the page, in parts that follow each other.
enum TimelineScript {
  /// The data: all that the picture needs is read at once, texts and octets by parts when they are shown.
  static let model = #"""
    (() => {
    'use strict';
    performance.mark('timeline-script');
    const byId = id => document.getElementById(id);
    const about = JSON.parse(byId('about').textContent);
    const KINDS = ['call', 'callback', 'mark', 'fault', 'failure', 'command', 'event', 'advertisement', 'flow', 'ATT',
      'signaling', 'pairing', 'channel', 'fragment', 'air', 'other'];
    const LANE_OF = [1, 1, 0, 0, 0, 2, 2, 3, 2, 3, 3, 3, 3, 3, 3, 2];
    const LANES = ['', 'app', 'host', 'peer'];
    const COLORS = ['app', 'app', 'mark', 'fault', 'fault', 'host', 'host', 'report', 'host', 'attribute', 'signaling', 'security',
      'channel', 'host', 'air', 'host'];
    const GROUPS = [['calls', [0, 1]], ['commands and events', [5, 6, 15]], ['flow control', [8]], ['advertisements', [7]],
      ['ATT', [9]], ['L2CAP', [10, 12, 13]], ['pairing', [11]], ['air', [14]]];

    const parts = [...document.getElementsByClassName('rows')].map(part => JSON.parse(part.textContent));
    const details = [...document.getElementsByClassName('texts')];
    const total = parts.reduce((sum, part) => sum + part.t.length, 0);
    // Milliseconds since the first event.
    const times = new Float64Array(total);
    const codes = new Uint32Array(total);
    const causeCount = new Uint32Array(total + 1);
    const effectCount = new Uint32Array(total + 1);
    const kindCount = new Array(KINDS.length).fill(0);
    const kindOf = row => codes[row] >> 2 & 15;
    const deviceOf = row => codes[row] >> 6;
    const isSent = row => (codes[row] & 1) === 1;
    const isError = row => (codes[row] & 2) === 2;
    const laneOf = row => LANE_OF[kindOf(row)];

    let base = 0, time = 0, joins = 0;
    for (const part of parts) {
      for (let i = 0; i < part.t.length; i++) {
        time += part.t[i];
        times[base + i] = time / 1e6;
        codes[base + i] = part.c[i];
        kindCount[part.c[i] >> 2 & 15] += 1;
      }
      for (let i = 0; i < part.j.length; i += 2) {
        const row = base + part.j[i];
        causeCount[row + 1] += 1;
        effectCount[row - part.j[i + 1] + 1] += 1;
        joins += 1;
      }
      base += part.t.length;
    }
    for (let row = 0; row < total; row++) {
      causeCount[row + 1] += causeCount[row];
      effectCount[row + 1] += effectCount[row];
    }
    const causeList = new Uint32Array(joins);
    const effectList = new Uint32Array(joins);
    const causeEnd = causeCount.slice();
    const effectEnd = effectCount.slice();
    base = 0;
    for (const part of parts) {
      for (let i = 0; i < part.j.length; i += 2) {
        const row = base + part.j[i], cause = row - part.j[i + 1];
        causeList[causeEnd[row]++] = cause;
        effectList[effectEnd[cause]++] = row;
      }
      base += part.t.length;
    }
    const causesOf = row => causeList.subarray(causeCount[row], causeCount[row + 1]);
    const effectsOf = row => effectList.subarray(effectCount[row], effectCount[row + 1]);
    parts.length = 0;

    const read = new Map();
    function detail(row) {
      const number = Math.floor(row / about.chunk);
      let part = read.get(number);
      if (!part) {
        part = JSON.parse(details[number].textContent);
        if (read.size >= 16) read.delete(read.keys().next().value);
        read.set(number, part);
      }
      const place = row - number * about.chunk;
      return { text: part.s[part.x[place]], octets: part.s[part.o[place]], peer: part.s[part.p[place]] };
    }

    const deviceName = row => deviceOf(row) === 0 ? '' : about.devices[deviceOf(row) - 1] || '';
    const seconds = ms => (ms / 1000).toFixed(6);
    function span(ms) {
      if (ms < 1) return Math.round(ms * 1000) + ' µs';
      if (ms < 1000) return (ms < 10 ? ms.toFixed(1) : Math.round(ms)) + ' ms';
      if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 1 : 0) + ' s';
      if (ms < 3600000) return Math.round(ms / 60000) + ' min';
      return (ms / 3600000).toFixed(1) + ' h';
    }
    """#
}
