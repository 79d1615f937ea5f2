extension TimelineScript {
  /// What the user does, and the first drawing.
  static let start = #"""
    function rearrange(around) {
      const before = around >= 0 && placeOf[around] >= 0 && xs.length > placeOf[around] ? xs[placeOf[around]] - view.scrollLeft : 0;
      arrange();
      space.style.width = width + 'px';
      space.style.height = height + 'px';
      view.style.height = Math.min(height + 18, innerHeight * 0.46) + 'px';
      if (around >= 0 && placeOf[around] >= 0) view.scrollLeft = xs[placeOf[around]] - before;
      draw();
      fill();
    }
    function rechoose() {
      choose();
      rearrange(selected);
    }
    const middle = () => selected >= 0 && placeOf[selected] >= 0
      && Math.abs(xs[placeOf[selected]] - view.scrollLeft - view.clientWidth / 2) < view.clientWidth / 2 ? selected
      : order.length > 0 ? order[Math.min(order.length - 1, placeAt(view.scrollLeft + view.clientWidth / 2))] : -1;
    function zoom(by) {
      scale = Math.min(1000, Math.max(1e-7, scale * by));
      while (widthAt(scale) > WIDEST && scale > 1e-7) scale /= 2;
      rearrange(middle());
    }
    function fit() {
      scale = scaleFor(view.clientWidth);
      rearrange(-1);
      view.scrollLeft = 0;
    }
    const special = [];
    for (let row = 0; row < total; row++) if (kindOf(row) === 3 || kindOf(row) === 4) special.push(row);
    function nextFault() {
      if (special.length === 0) return;
      const next = special.find(row => row > selected);
      select(next === undefined ? special[0] : next);
    }

    byId('in').addEventListener('click', () => zoom(1.6));
    byId('out').addEventListener('click', () => zoom(1 / 1.6));
    byId('fit').addEventListener('click', fit);
    byId('fault').addEventListener('click', nextFault);
    byId('fault').hidden = special.length === 0;
    byId('fold').addEventListener('click', () => { opened.clear(); byId('fold').hidden = true; rearrange(middle()); });
    view.addEventListener('scroll', later);
    view.addEventListener('wheel', event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8);
    }, { passive: false });
    list.addEventListener('scroll', fill);
    addEventListener('resize', () => rearrange(middle()));
    dark.addEventListener('change', () => { readColors(); draw(); });
    canvas.addEventListener('pointermove', event => {
      const row = hit(event);
      if (row === pointed) return;
      pointed = row;
      show(row >= 0 ? row : selected);
      later();
    });
    canvas.addEventListener('pointerleave', () => { pointed = -1; show(selected); later(); });
    canvas.addEventListener('click', event => select(hit(event), true));
    const rowUnder = event => { const line = event.target.closest('tr[data-row]'); return line ? Number(line.dataset.row) : -1; };
    // A click gives the list the focus before it is one; only a key's focus chooses the first event.
    let isPressed = false;
    list.addEventListener('pointerdown', () => { isPressed = true; });
    addEventListener('pointerup', () => { isPressed = false; });
    body.addEventListener('click', event => select(rowUnder(event)));
    body.addEventListener('pointerover', event => show(rowUnder(event)));
    body.addEventListener('pointerleave', () => show(selected));
    list.addEventListener('focus', () => { if (selected < 0 && !isPressed) move(1); });
    addEventListener('keydown', event => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('select, input')) return;
      const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
      const onButton = event.target.closest('button') !== null;
      const actions = {
        ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(page), PageUp: () => move(-page),
        Home: () => move(-total), End: () => move(total),
        ArrowLeft: () => { if (selected >= 0 && causesOf(selected).length > 0) select(causesOf(selected)[0]); },
        ArrowRight: () => { if (selected >= 0 && effectsOf(selected).length > 0) select(effectsOf(selected)[0]); },
        '+': () => zoom(1.6), '-': () => zoom(1 / 1.6), '0': fit, f: nextFault,
        Enter: onButton ? null : () => { if (selected >= 0 && !opened.has(selected)) unfold(selected); },
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
    });

    for (const [name, kinds] of GROUPS) {
      if (kinds.every(kind => kindCount[kind] === 0)) continue;
      const label = document.createElement('label'), box = document.createElement('input');
      label.className = 'kind';
      box.type = 'checkbox';
      box.checked = kinds.some(kind => shownKinds.has(kind));
      box.addEventListener('change', () => {
        for (const kind of kinds) if (box.checked) shownKinds.add(kind); else shownKinds.delete(kind);
        rechoose();
      });
      label.append(box, name);
      byId('kinds').append(label);
    }
    if (about.devices.length > 1) {
      byId('pick').hidden = false;
      byId('device').append(...['all', ...about.devices].map((name, index) => {
        const option = text('option', name);
        option.value = index;
        return option;
      }));
      byId('device').addEventListener('change', event => { shownDevice = Number(event.target.value); rechoose(); });
    }
    byId('notes').append(...about.notes.map(note => text('li', note)));
    byId('summary').textContent = total === 0 ? 'No events.'
      : total.toLocaleString('en') + (total === 1 ? ' event' : ' events') + ' of '
        + (about.devices.length === 1 ? '1 device' : about.devices.length + ' devices') + ' in ' + span(times[total - 1])
        + (special.length > 0 ? ', ' + special.length + (special.length === 1 ? ' fault or failure' : ' faults and failures') : '');
    readColors();
    choose();
    // At the beginning a stretch of 30 ms, which connection intervals seldom exceed, is to scale.
    scale = Math.min(FOLD_FROM / 30, scaleFor(Math.min(WIDEST, Math.max(view.clientWidth, order.length * 26))));
    rearrange(-1);
    performance.mark('timeline-drawn');
    performance.measure('timeline-open', { start: 0, end: 'timeline-drawn' });
    performance.measure('timeline-work', 'timeline-script', 'timeline-drawn');
    })();
    """#
}
