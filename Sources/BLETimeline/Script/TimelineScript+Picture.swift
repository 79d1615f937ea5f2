extension TimelineScript {
  /// The picture: draws only what is in the window.
  static let picture = #"""
    const view = byId('view'), canvas = byId('picture'), space = byId('space'), foldLayer = byId('folds');
    const ink = canvas.getContext('2d');
    const dark = matchMedia('(prefers-color-scheme: dark)');
    let colors = {}, selected = -1, pointed = -1, chain = new Set(), isDrawn = false;

    function readColors() {
      const style = getComputedStyle(document.documentElement);
      colors = {};
      for (const name of ['ground', 'raised', 'line', 'ink', 'quiet', 'pick', 'join', 'focus', ...COLORS]) {
        colors[name] = style.getPropertyValue('--' + name).trim();
      }
    }
    function later() {
      if (isDrawn) requestAnimationFrame(draw);
      isDrawn = false;
    }

    function draw() {
      isDrawn = true;
      const wide = view.clientWidth, high = view.clientHeight, dots = devicePixelRatio || 1;
      if (canvas.width !== Math.round(wide * dots) || canvas.height !== Math.round(high * dots)) {
        canvas.width = Math.round(wide * dots);
        canvas.height = Math.round(high * dots);
        canvas.style.width = wide + 'px';
        canvas.style.height = high + 'px';
      }
      const left = view.scrollLeft, top = view.scrollTop;
      const from = placeAt(left - RIGHT), to = placeAt(left + wide + 10);
      ink.setTransform(dots, 0, 0, dots, 0, 0);
      ink.fillStyle = colors.ground;
      ink.fillRect(0, 0, wide, high);
      ink.font = '12px system-ui, sans-serif';
      ink.textBaseline = 'middle';
      drawLanes(wide, top);
      drawFolds(wide, left, high);
      ink.save();
      ink.beginPath();
      ink.rect(0, RULER, wide, high);
      ink.clip();
      if (to - from < 2500) drawJoins(from, to, left, top);
      drawMarks(from, to, left, top, to - from < 600);
      drawLaneNames(top);
      ink.restore();
      drawRuler(from, to, left, wide, high);
      placeFolds(left, wide);
    }

    function drawLanes(wide, top) {
      lanes.forEach((lane, index) => {
        const y = lane.top - top;
        if (index % 2 === 0) { ink.fillStyle = colors.raised; ink.fillRect(0, y, wide, lane.tall); }
        if (lane.isFirst) { ink.fillStyle = colors.line; ink.fillRect(0, y, wide, 1); }
      });
    }
    function drawLaneNames(top) {
      for (const lane of lanes) {
        const device = about.devices[lane.device - 1] || '';
        const name = (lane.isFirst ? device.slice(0, 24) + ' · ' : '') + LANES[lane.lane];
        ink.font = lane.isFirst ? '600 11px system-ui, sans-serif' : '11px system-ui, sans-serif';
        const wide = ink.measureText(name).width;
        ink.fillStyle = colors.ground;
        ink.globalAlpha = 0.85;
        ink.fillRect(2, lane.top - top + 2, wide + 8, 14);
        ink.globalAlpha = 1;
        ink.fillStyle = colors.quiet;
        ink.fillText(name, 6, lane.top - top + 9);
      }
      ink.font = '12px system-ui, sans-serif';
    }
    function firstFold(x) {
      let low = 0, high = folds.length;
      while (low < high) {
        const middle = low + high >> 1;
        if (folds[middle].x < x) low = middle + 1; else high = middle;
      }
      return low;
    }
    function drawFolds(wide, left, high) {
      ink.strokeStyle = colors.line;
      ink.setLineDash([3, 4]);
      ink.beginPath();
      for (let i = firstFold(left - FOLD_WIDTH); i < folds.length && folds[i].x < left + wide + FOLD_WIDTH; i++) {
        for (const side of [-10, 10]) {
          const x = Math.round(folds[i].x - left + side) + 0.5;
          ink.moveTo(x, RULER);
          ink.lineTo(x, high);
        }
      }
      ink.stroke();
      ink.setLineDash([]);
    }
    function drawJoins(from, to, left, top) {
      for (const strong of [false, true]) {
        ink.strokeStyle = strong ? colors.focus : colors.join;
        ink.lineWidth = strong ? 2 : 1;
        ink.beginPath();
        for (let i = from; i < to; i++) {
          for (const cause of causesOf(order[i])) {
            const j = placeOf[cause];
            if (j < 0 || strong !== (chain.has(cause) && chain.has(order[i]))) continue;
            const x1 = xs[j] - left, y1 = yOf(j) - top, x2 = xs[i] - left, y2 = yOf(i) - top;
            ink.moveTo(x1, y1);
            const bend = Math.min(40, (x2 - x1) / 2);
            ink.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
          }
        }
        ink.stroke();
      }
      ink.lineWidth = 1;
    }

    function drawMarks(from, to, left, top, hasText) {
      const last = new Map();
      for (let i = from; i < to; i++) {
        const row = order[i], kind = kindOf(row);
        if (laneOf(row) === 0) continue;
        const x = xs[i] - left, y = yOf(i) - top;
        const special = row === selected || row === pointed;
        if (!special) {
          // Where many stand on one point, one is enough.
          const key = (deviceOf(row) * 4 + laneOf(row)) * LEVELS + levels[i];
          if (last.get(key) > x - 0.5) continue;
          last.set(key, x);
        }
        const color = isError(row) ? colors.fault : colors[COLORS[kind]];
        if (special) {
          ink.fillStyle = colors.pick;
          ink.beginPath();
          ink.arc(x, y, 10, 0, 7);
          ink.fill();
        }
        drawShape(kind, isSent(row), x, y, color);
        if (special) { ink.strokeStyle = colors.focus; ink.beginPath(); ink.arc(x, y, 9, 0, 7); ink.stroke(); }
        if (hasText && room[i] > 36) {
          ink.fillStyle = isError(row) ? colors.fault : colors.ink;
          label(shortened(detail(row).text, kind), x + 9, y, Math.min(room[i] - 18, 240));
        }
      }
    }
    // Sent to the right or downwards, received to the left or upwards.
    function drawShape(kind, sent, x, y, color) {
      ink.fillStyle = color;
      ink.strokeStyle = color;
      ink.beginPath();
      const lane = LANE_OF[kind];
      if (kind === 7 || kind === 14) {
        ink.arc(x, y, 3, 0, 7);
        ink.fill();
      } else if (lane === 3) {
        const way = sent ? 5 : -5;
        ink.moveTo(x - way, y - 5); ink.lineTo(x + way, y); ink.lineTo(x - way, y + 5); ink.closePath();
        ink.fill();
      } else if (lane === 2) {
        const way = sent ? 4 : -4;
        ink.moveTo(x - 4, y - way); ink.lineTo(x, y + way); ink.lineTo(x + 4, y - way);
        ink.stroke();
      } else {
        const way = sent ? 5 : -5;
        ink.moveTo(x - 5, y - way); ink.lineTo(x, y + way); ink.lineTo(x + 5, y - way); ink.closePath();
        ink.fill();
      }
    }
    // What the lane says already is left away: a little of it in the list, more in the picture.
    const brief = (text, kind) => LANE_OF[kind] < 2 ? text : text
      .replace(/^(ACL 0x[0-9A-F]{4}|HCI (command|event)) /, '').replace(/^(ATT|SMP|L2CAP signaling) /, '');
    const shortened = (text, kind) => LANE_OF[kind] < 2 ? text : brief(text, kind)
      .replace(/^(HCI_LE|HCI|ATT)_/, '').replace(/^Command_(Complete|Status) (HCI_(LE_)?)?/, '');
    function label(text, x, y, wide) {
      if (text.length > 60) text = text.slice(0, 60);
      if (ink.measureText(text).width > wide) {
        let low = 0, high = text.length;
        while (low < high) {
          const middle = low + high + 1 >> 1;
          if (ink.measureText(text.slice(0, middle) + '…').width <= wide) low = middle; else high = middle - 1;
        }
        if (low < 2) return;
        text = text.slice(0, low) + '…';
      }
      ink.fillText(text, x, y);
    }

    // The time on top; what happened to devices as lines through all lanes.
    function drawRuler(from, to, left, wide, high) {
      ink.fillStyle = colors.ground;
      ink.fillRect(0, 0, wide, RULER - 18);
      ink.font = '11px ui-monospace, monospace';
      ink.fillStyle = colors.quiet;
      let free = 4;
      for (let i = from; i < to; i++) {
        const x = xs[i] - left;
        if (x < free || x > wide) continue;
        const text = seconds(times[order[i]]) + ' s';
        ink.fillRect(Math.round(x), 25, 1, 11);
        ink.fillText(text, x + 4, 30);
        free = x + Math.max(ink.measureText(text).width + 40, 150);
      }
      ink.font = '12px system-ui, sans-serif';
      let end = -1e9;
      for (let i = from; i < to; i++) {
        const row = order[i], kind = kindOf(row);
        if (laneOf(row) !== 0) continue;
        const x = Math.round(xs[i] - left) + 0.5;
        ink.strokeStyle = ink.fillStyle = colors[COLORS[kind]];
        ink.lineWidth = row === selected || row === pointed ? 3 : kind === 2 ? 1 : 2;
        ink.setLineDash(kind === 2 ? [5, 4] : []);
        ink.beginPath();
        ink.moveTo(x, RULER - 14);
        ink.lineTo(x, high);
        ink.stroke();
        ink.setLineDash([]);
        ink.beginPath();
        ink.moveTo(x, RULER - 16); ink.lineTo(x + 8, RULER - 12); ink.lineTo(x, RULER - 8); ink.fill();
        if (x > end) {
          const next = Math.min(room[i], 260) - 16;
          if (next > 30) { label(detail(row).text, x + 11, RULER - 11, next); end = x + next; }
        }
      }
      ink.lineWidth = 1;
    }

    // A quiet stretch is a button: its length, which opens it.
    function placeFolds(left, wide) {
      const buttons = [];
      for (let i = firstFold(left - 20); i < folds.length && folds[i].x < left + wide + 20 && buttons.length < 60; i++) {
        const fold = folds[i];
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = span(fold.gap);
        button.title = span(fold.gap) + ' without events: open';
        button.setAttribute('aria-label', button.title);
        button.style.left = fold.x - left + 'px';
        button.addEventListener('click', () => unfold(fold.row));
        buttons.push(button);
      }
      foldLayer.replaceChildren(...buttons);
    }
    function unfold(row) {
      opened.add(row);
      rearrange(row);
      byId('fold').hidden = false;
    }

    // The event that is drawn at a point of the window.
    function hit(event) {
      const box = canvas.getBoundingClientRect();
      const x = event.clientX - box.left + view.scrollLeft, y = event.clientY - box.top + view.scrollTop;
      let best = -1, nearest = 14;
      for (let i = placeAt(x - 12); i < xs.length && xs[i] <= x + 12; i++) {
        const across = laneOf(order[i]) === 0;
        const far = Math.hypot(xs[i] - x, across ? (y - view.scrollTop < RULER ? 0 : 8) : yOf(i) - y);
        if (far < nearest) { nearest = far; best = order[i]; }
      }
      return best;
    }
    """#
}
