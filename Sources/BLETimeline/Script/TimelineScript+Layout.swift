extension TimelineScript {
  /// Where each event stands: to scale, with quiet stretches folded, and beside each other where they happen at one time.
  static let layout = #"""
    // Pixels. A stretch without events that would be longer than FOLD_FROM is drawn as FOLD_WIDTH.
    const FOLD_FROM = 150, FOLD_WIDTH = 64, LEFT = 64, RIGHT = 200, STEP = 17, LEVELS = 4, RULER = 54, LABEL = 120, WIDEST = 12e6;
    const shownKinds = new Set(KINDS.keys());
    shownKinds.delete(8);
    let shownDevice = 0;
    const opened = new Set();
    let scale = 1;
    // Of the events that are shown: their rows, and where they stand.
    let order = new Uint32Array(0), xs = new Float64Array(0), levels = new Uint8Array(0), room = new Float32Array(0);
    const placeOf = new Int32Array(total);
    let folds = [], lanes = [], laneTop = new Map(), width = 0, height = 0;

    function choose() {
      const rows = [];
      placeOf.fill(-1);
      for (let row = 0; row < total; row++) {
        const kind = kindOf(row), device = deviceOf(row);
        if (!shownKinds.has(kind) || shownDevice > 0 && device > 0 && device !== shownDevice) continue;
        placeOf[row] = rows.length;
        rows.push(row);
      }
      order = Uint32Array.from(rows);
    }

    const gapWidth = (row, ms, by) => {
      const pixels = ms * by;
      return pixels > FOLD_FROM && !opened.has(row) ? FOLD_WIDTH : Math.min(pixels, WIDEST / 4);
    };
    function widthAt(by) {
      let x = LEFT + RIGHT;
      for (let i = 1; i < order.length; i++) x += gapWidth(order[i], times[order[i]] - times[order[i - 1]], by);
      return x;
    }
    // The scale, in pixels for a millisecond, at which everything is about so wide.
    function scaleFor(wanted) {
      let low = -7, high = 2;
      for (let step = 0; step < 12; step++) {
        const middle = (low + high) / 2;
        if (widthAt(10 ** middle) > wanted) high = middle; else low = middle;
      }
      return 10 ** low;
    }

    function arrange() {
      const count = order.length;
      xs = new Float64Array(count);
      levels = new Uint8Array(count);
      room = new Float32Array(count).fill(RIGHT);
      folds = [];
      let x = LEFT;
      const ends = new Map(), deepest = new Map(), before = new Map();
      for (let i = 0; i < count; i++) {
        const row = order[i];
        if (i > 0) {
          const gap = times[row] - times[order[i - 1]];
          const step = gapWidth(row, gap, scale);
          if (step === FOLD_WIDTH && gap * scale > FOLD_FROM) folds.push({ x: x + FOLD_WIDTH / 2, row, gap });
          x += step;
        }
        xs[i] = x;
        const lane = deviceOf(row) * 4 + laneOf(row);
        let taken = ends.get(lane);
        if (!taken) ends.set(lane, taken = new Float64Array(LEVELS).fill(-1e9));
        // The first level with room for a label of the event before; else the one with the most room.
        let level = 0;
        for (let next = 0; next < LEVELS; next++) {
          if (x - taken[next] >= LABEL) { level = next; break; }
          if (taken[next] < taken[level]) level = next;
        }
        taken[level] = x;
        levels[i] = level;
        deepest.set(lane, Math.max(deepest.get(lane) || 0, level));
        const key = lane * LEVELS + level, last = before.get(key);
        if (last !== undefined) room[last] = x - xs[last];
        before.set(key, i);
      }
      width = x + RIGHT;
      lanes = [];
      laneTop = new Map();
      let top = RULER;
      for (let device = 0; device <= about.devices.length; device++) {
        for (let lane = 1; lane < 4; lane++) {
          const key = device * 4 + lane;
          if (!deepest.has(key)) continue;
          const tall = 22 + STEP * (deepest.get(key) + 1);
          lanes.push({ device, lane, top, tall, isFirst: !lanes.some(other => other.device === device) });
          laneTop.set(key, top);
          top += tall;
        }
      }
      height = Math.max(top + 4, RULER + 40);
    }
    const yOf = place => {
      const row = order[place], lane = laneOf(row);
      return lane === 0 ? RULER - 10 : laneTop.get(deviceOf(row) * 4 + lane) + 24 + STEP * levels[place];
    };
    // The first place at x or behind it.
    function placeAt(x) {
      let low = 0, high = xs.length;
      while (low < high) {
        const middle = low + high >> 1;
        if (xs[middle] < x) low = middle + 1; else high = middle;
      }
      return low;
    }
    """#
}
