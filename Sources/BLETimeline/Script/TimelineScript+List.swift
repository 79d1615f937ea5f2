extension TimelineScript {
  /// The list of all events, of which only those in its window are elements, and the text and octets of one.
  static let list = #"""
    const list = byId('list'), table = byId('rows'), body = table.tBodies[0], ROW = 24;
    function text(tag, content) {
      const element = document.createElement(tag);
      element.textContent = content;
      return element;
    }
    function fill() {
      const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
      const last = Math.min(order.length, first + Math.ceil(list.clientHeight / ROW) + 10);
      const rows = [];
      for (let place = first; place < last; place++) {
        const row = order[place], kind = kindOf(row), line = document.createElement('tr');
        const lane = text('td', LANES[laneOf(row)] || KINDS[kind]);
        lane.style.color = 'var(--' + COLORS[kind] + ')';
        const arrow = laneOf(row) === 0 ? '' : laneOf(row) === 1 ? (isSent(row) ? '▼ ' : '▲ ') : isSent(row) ? '▶ ' : '◀ ';
        line.append(text('td', seconds(times[row])), text('td', deviceName(row)), lane, text('td', arrow + brief(detail(row).text, kind)));
        line.setAttribute('aria-rowindex', place + 2);
        if (row === selected) line.setAttribute('aria-current', 'true');
        if (chain.has(row)) line.classList.add('joined');
        if (isError(row) || kind === 3 || kind === 4) line.classList.add('error');
        line.dataset.row = row;
        rows.push(line);
      }
      table.setAttribute('aria-rowcount', order.length + 1);
      table.style.transform = 'translateY(' + first * ROW + 'px)';
      byId('height').style.height = order.length * ROW + 'px';
      body.replaceChildren(...rows);
    }

    function dump(code) {
      const octets = atob(code), lines = [];
      for (let at = 0; at < octets.length; at += 16) {
        let hex = '', plain = '';
        for (let i = at; i < Math.min(at + 16, octets.length); i++) {
          const value = octets.charCodeAt(i);
          hex += value.toString(16).padStart(2, '0') + (i - at === 7 ? '  ' : ' ');
          plain += value > 32 && value < 127 ? octets[i] : '·';
        }
        lines.push(at.toString(16).padStart(4, '0') + '  ' + hex.padEnd(50) + plain);
      }
      return lines.join('\n');
    }
    function show(row) {
      if (row < 0) return;
      const about = detail(row), kind = kindOf(row);
      const way = laneOf(row) === 0 ? '' : laneOf(row) === 1 ? (isSent(row) ? ' to Core Bluetooth' : ' to the program')
        : laneOf(row) === 2 ? (isSent(row) ? ' to the controller' : ' from the controller') : isSent(row) ? ' sent' : ' received';
      byId('what').textContent = [seconds(times[row]) + ' s', deviceName(row), KINDS[kind] + way, about.peer]
        .filter(part => part !== '').join(' · ');
      byId('text').textContent = about.text;
      byId('octets').textContent = dump(about.octets);
      const buttons = [];
      for (const [word, rows] of [['caused by ', causesOf(row)], ['leads to ', effectsOf(row)]]) {
        for (const other of rows.slice(0, 12)) {
          const button = text('button', word + shortened(detail(other).text, kindOf(other)).slice(0, 60));
          button.type = 'button';
          button.addEventListener('click', () => select(other));
          buttons.push(button);
        }
      }
      byId('joined').replaceChildren(...buttons);
    }

    // Everything that led to an event, and everything that came of it.
    function chainOf(row) {
      const found = new Set();
      for (const next of [causesOf, effectsOf]) {
        const open = [row];
        while (open.length > 0 && found.size < 2000) {
          const current = open.pop();
          for (const other of next(current)) if (!found.has(other)) { found.add(other); open.push(other); }
        }
      }
      if (found.size > 0) found.add(row);
      return found;
    }
    function select(row, keepsPicture) {
      if (row < 0 || row >= total) return;
      const place = placeOf[row];
      selected = row;
      chain = chainOf(row);
      show(row);
      byId('said').textContent = byId('what').textContent + ': ' + byId('text').textContent;
      if (place >= 0) {
        const y = place * ROW;
        if (y < list.scrollTop) list.scrollTop = y;
        if (y + ROW > list.scrollTop + list.clientHeight) list.scrollTop = y + ROW - list.clientHeight;
        if (!keepsPicture) bringIntoView(place);
      }
      fill();
      later();
    }
    function bringIntoView(place) {
      const x = xs[place];
      if (x < view.scrollLeft + 40 || x > view.scrollLeft + view.clientWidth - 120) view.scrollLeft = x - view.clientWidth / 3;
      const y = yOf(place);
      if (laneOf(order[place]) !== 0 && (y < view.scrollTop + RULER || y > view.scrollTop + view.clientHeight - 12)) {
        view.scrollTop = y - view.clientHeight / 2;
      }
    }
    // Moves the choice among the events that are shown.
    function move(by) {
      if (order.length === 0) return;
      let place = selected < 0 ? (by > 0 ? -1 : 0) : placeOf[selected];
      if (place < 0 && selected >= 0) place = Math.max(0, order.findIndex(row => row > selected)) - (by > 0 ? 1 : 0);
      select(order[Math.min(order.length - 1, Math.max(0, place + by))]);
    }
    """#
}
