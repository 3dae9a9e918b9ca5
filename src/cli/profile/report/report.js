(function () {
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const kernels = data.kernels;
const table = document.querySelector('#kernels table');
const body = table.tBodies[0];
const rows = Array.from(body.rows);
const byKey = new Map();

// Two kernels of one name are NAME and NAME~2.
kernels.forEach((k, i) => {
  let key = k.name;
  for (let n = 2; byKey.has(key); n++) key = k.name + '~' + n;
  k.key = key;
  byKey.set(key, k);
});

// ---- elements -----------------------------------------------------------

function make(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs || {}))
    if (value !== undefined) e.setAttribute(name, value);
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function hex(n) {
  return '0x' + n.toString(16).padStart(4, '0');
}

// '-' is not measured. Counts above 2^53 are strings.
function count(n) {
  if (n === undefined || n === null) return '-';
  return String(n).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

function percent(part, whole) {
  return whole > 0 ? (100 * part / whole).toFixed(1) + '%' : '-';
}

function share(n, most) {
  return n > 0 ? Math.log1p(n) / Math.log1p(most) : 0;
}

function heat(n, most) {
  const s = share(n, most);
  return s > 0 ? 'background:rgba(var(--heat),' + (s * s * .75).toFixed(3) + ')'
    : undefined;
}

function link(key, ip) {
  const q = new URLSearchParams({ kernel: key });
  if (ip !== undefined) q.set('insn', hex(ip));
  return '#' + q;
}

// ---- the table of kernels -----------------------------------------------

function valueOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
}

// Cells that were not measured come last.
function sortRows(column, down) {
  const measured = (v) => v !== '-';
  const keys = new Map(rows.map((r) => [r, valueOf(r, column)]));
  rows.sort((a, b) => {
    const x = keys.get(a), y = keys.get(b);
    if (measured(x) !== measured(y)) return measured(x) ? -1 : 1;
    const order = x < y ? -1 : x > y ? 1 : 0;
    return down ? -order : order;
  });
  body.append(...rows);
}

function sortBy(head) {
  const column = head.cellIndex;
  const numbers = rows.some((r) => r.cells[column].dataset.v !== undefined);
  const before = head.getAttribute('aria-sort');
  const down = before ? before === 'ascending' : numbers;
  for (const h of head.parentNode.cells) h.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  sortRows(column, down);
}

let words = '';

// Kernels whose row or instructions have the words.
function search() {
  words = document.getElementById('search').value.trim().toLowerCase();
  const texts = data.texts.map((t) => t.toLowerCase().includes(words));
  let shown = 0;
  for (const row of rows) {
    const k = kernels[row.dataset.i];
    const fits = row.textContent.toLowerCase().includes(words) ||
      (k.insns && k.insns.text.some((t) => texts[t]));
    row.hidden = !fits;
    shown += fits;
  }
  document.getElementById('found').textContent =
    words ? shown + ' of ' + rows.length : '';
  markHits();
}

function markHits() {
  for (const tr of document.querySelectorAll('.code tbody tr'))
    tr.classList.toggle('hit', words !== '' &&
      tr.querySelector('.text').textContent.toLowerCase().includes(words));
}

// ---- one kernel ---------------------------------------------------------

function facts(k) {
  const dl = make('dl');
  const add = (name, value) => dl.append(make('dt', null, name),
    make('dd', null, value));
  add('Stage', k.stage || '-');
  add('SIMD width', k.simd ? String(k.simd) : '-');
  add('Code', count(k.size_B) + ' bytes, XXH3 ' + k.id);
  add('Threads', count(k.threads));
  add('Instructions', count(k.insn) + ', ' +
    percent(k.insn, data.totals.insn) + ' of all');
  add('Instructions per thread', k.threads > 0 ?
    (k.insn / k.threads).toFixed(1) : '-');
  add('Active lanes', k.lanes === undefined ? '-' :
    count(k.lanes) + ' of ' + count(k.channels));
  add('SIMD efficiency', k.simd_efficiency === undefined ? '-' :
    (100 * k.simd_efficiency).toFixed(1) + '%');
  const known = ['id', 'name', 'name_from', 'stage', 'simd', 'size_B', 'threads',
    'insn', 'lanes', 'channels', 'simd_efficiency', 'mix', 'insns', 'key'];
  for (const [name, value] of Object.entries(k))
    if (!known.includes(name) && typeof value !== 'object')
      add(name.replace(/_/g, ' '), typeof value === 'number' ? count(value) :
        String(value));
  return dl;
}

function mix(k) {
  const bar = make('div', { class: 'mix' }), legend = make('p', { class: 'legend' });
  Object.entries(k.mix || {}).forEach(([name, n], i) => {
    if (!(n > 0)) return;
    const colour = 'background:var(--g' + i % 6 + ')';
    bar.append(make('span', { style: colour + ';flex:' + n / k.insn,
      title: name + ' ' + percent(n, k.insn) }));
    legend.append(make('span', null, make('i', { style: colour }),
      name + ' ' + percent(n, k.insn)));
  });
  return [make('h3', null, 'Instruction mix'), bar, legend];
}

// What the cycle model says that each part of the GPU needs at least, as shares
// of the largest.
function limitBars(k) {
  const parts = [];
  for (const t of k.model || []) {
    const list = Object.entries(t).filter(([name]) => name.endsWith('_us'));
    const most = Math.max(...list.map(([, us]) => us), 0);
    if (most > 0)
      parts.push(make('p', { class: 'faint' }, 'Table ' + t.table + ', limit: ' +
        t.limit), ...list.filter(([, us]) => us > 0).map(([name, us]) =>
        make('div', { class: 'limit' }, make('span', null,
          name.slice(0, -3).replace(/_/g, ' ')), make('i', { style: 'width:' +
          (30 * us / most).toFixed(2) + 'rem' }),
        us.toPrecision(3) + ' \u00b5s, ' + percent(us, most))));
  }
  return parts.length ? [make('h3', null, 'Limits by the cycle model'),
    ...parts] : [];
}

// Instructions that heed the mask, by active lanes.
function laneBars(k) {
  const sums = new Map();
  for (const h of k.lane_histograms || [])
    for (const [n, c] of Object.entries(h.active_lanes))
      sums.set(Number(n), (sums.get(Number(n)) || 0) + h.insns * Number(c));
  if (!sums.size) return [];
  const most = Math.max(...sums.values());
  const all = Array.from(sums.values()).reduce((a, b) => a + b, 0);
  const bars = make('div', { class: 'bars' });
  for (let n = 0; n <= Math.max(...sums.keys()); n++)
    bars.append(make('span', { title: n + ' lanes: ' + count(sums.get(n) || 0) +
      ' instructions, ' + percent(sums.get(n) || 0, all) },
    make('i', { style: 'height:' + (100 * (sums.get(n) || 0) / most).toFixed(1) +
      '%' }), String(n)));
  return [make('h3', null, 'Instructions by active lanes'), bars];
}

// Lines of memory, or passes through local memory, by the least of them.
function withRatio(o) {
  const ratio = o.min_lines > 0 ? o.lines / o.min_lines :
    o.slm_min_passes > 0 ? o.slm_passes / o.slm_min_passes : undefined;
  return ratio === undefined ? o : { ...o, '\u00d7 min': ratio.toFixed(2) };
}

// Any other list of objects in the data, as branches or sends.
function otherTables(k) {
  const parts = [];
  const texels = (data.sampler || []).filter((s) => s.kernel === k.name)
    .map(({ kernel, ...s }) => s);
  for (const [name, objects] of Object.entries({ ...k, sampler: texels })) {
    if (name === 'insns' || !Array.isArray(objects) || !objects.length ||
        typeof objects[0] !== 'object') continue;
    const list = objects.map(withRatio);
    const columns = Array.from(new Set(list.flatMap(Object.keys)));
    const t = make('table', { class: 'other' }, make('thead', null,
      make('tr', null, ...columns.map((c) => make('th', null, c.replace(/_/g, ' '))))));
    const rows = make('tbody');
    for (const o of list)
      rows.append(make('tr', null, ...columns.map((c) => {
        if (c === 'ip')
          return make('td', { class: 'name' },
            make('a', { href: link(k.key, o.ip) }, hex(o.ip)));
        const number = typeof o[c] === 'number' || o[c] === undefined;
        return make('td', { class: number ? 'n' : undefined },
          number ? count(o[c]) : Array.isArray(o[c]) ? o[c].join(' \u00d7 ') :
            typeof o[c] !== 'object' ? o[c] :
              Object.entries(o[c]).map(([n, v]) => n + ': ' + count(v)).join(', '));
      })));
    t.append(rows);
    parts.push(make('h3', null, name[0].toUpperCase() +
      name.slice(1).replace(/_/g, ' ')),
      make('div', { class: 'wide' }, t));
  }
  return parts;
}

function findingsOf(k) {
  const list = (data.findings || []).filter((f) => f.kernel === k.name);
  if (!list.length) return [];
  return [make('h3', null, 'Limiters'), make('ul', null, ...list.map((f) =>
    make('li', null, f.text + ' ',
      f.ip === undefined ? null :
        make('a', { href: link(k.key, f.ip), class: 'name' }, hex(f.ip)))))];
}

// Position of the listing's rows as coloured marks; a click goes there.
function strip(counts, most) {
  const bins = Math.min(counts.length, 240), e = make('div', { class: 'strip' });
  const top = new Array(bins).fill(0);
  counts.forEach((n, i) => {
    const b = Math.floor(i * bins / counts.length);
    top[b] = Math.max(top[b], Number(n));
  });
  top.forEach((n, b) => {
    const style = heat(n, most);
    if (style)
      e.append(make('i', { style: style + ';top:' + 100 * b / bins + '%;height:' +
        100 / bins + '%' }));
  });
  e.addEventListener('click', (event) => {
    const at = (event.clientY - e.getBoundingClientRect().top) / e.clientHeight;
    const all = e.parentNode.querySelectorAll('.code tbody tr');
    const row = all[Math.floor(at * all.length)];
    if (row) row.scrollIntoView({ block: 'center' });
  });
  return e;
}

// The file of an instruction: an entry of data.sources.
function fileOf(n, i) {
  return (data.sources || [])[n.source ? n.source[i] : -1] || { name: '' };
}

function sourceKey(n, i) {
  const line = n.line && n.line[i];
  return line ? fileOf(n, i).name + ':' + line : undefined;
}

// The text of an instruction: predicate, then the rest, in which a label leads
// to the instruction at its offset.
function assembly(k, text) {
  const [, predicate, rest] = text.match(/^(\([^)]*\))?\s*([^]*)$/);
  const parts = rest.split(/(?<=\t| )L(\d+)(?=\t| |$)/);
  return [make('td', { class: 'predicate' }, predicate || ''),
    make('td', { class: 'text' }, ...parts.map((part, i) => i % 2 === 0 ? part :
      make('a', { href: link(k.key, Number(part)) }, 'L' + part)))];
}

function listing(k) {
  const n = k.insns, most = Math.max(...n.count.map(Number), 1);
  const optional = [['exec_size', 'SIMD'], ['lanes', 'lanes'],
    ['clocks', 'clocks (model)']]
    .filter(([key]) => n[key]);
  const hasLines = n.line && n.line.some((l) => l);
  const head = make('tr', null, make('th', { class: 'n' }, 'share'),
    make('th', { class: 'n' }, 'count'),
    ...optional.map(([, name]) => make('th', { class: 'n' }, name)),
    make('th', null, 'offset'), make('th'), make('th', null, 'instruction'),
    hasLines ? make('th', null, 'line') : null);
  const rows = make('tbody');
  n.ip.forEach((ip, i) => {
    rows.append(make('tr', { 'data-ip': ip, 'data-line': sourceKey(n, i) },
      make('td', { class: 'n' }, percent(n.count[i], k.insn)),
      make('td', { class: 'n', style: heat(n.count[i], most) }, count(n.count[i])),
      ...optional.map(([key]) => make('td', { class: 'n' }, count(n[key][i]))),
      make('td', { class: 'faint' }, hex(ip)),
      ...assembly(k, data.texts[n.text[i]]),
      hasLines ? make('td', { class: 'faint' },
        (sourceKey(n, i) || '').replace(/^.*\//, '')) : null));
  });
  const t = make('table', { class: 'code' }, make('thead', null, head), rows);
  rows.addEventListener('click', (event) => {
    const row = !event.target.closest('a') && event.target.closest('tr');
    if (row) location.hash = link(k.key, Number(row.dataset.ip));
  });
  return make('div', { class: 'listing' }, strip(n.count, most), t);
}

// A file's lines, each with the sum of its instructions. A file without text
// shows only the lines with instructions.
function sourceTable(k, file, sums) {
  const numbers = Array.from(sums.keys()).sort((a, b) => a - b);
  const lines = file.text !== undefined ? file.text.split('\n').map((t, i) => [i + 1, t]) :
    numbers.map((l) => [l, '']);
  const most = Math.max(...sums.values(), 1);
  return make('table', { class: 'source' }, make('thead', null, make('tr', null,
    make('th', { class: 'n' }, 'share'), make('th', { class: 'n' }, 'line'),
    make('th', null, file.name || 'source'))), make('tbody', null,
    ...lines.map(([l, text]) => make('tr', { 'data-line': file.name + ':' + l },
      make('td', { class: 'n', style: heat(sums.get(l), most) },
        sums.has(l) ? percent(sums.get(l), k.insn) : ''),
      make('td', { class: 'n faint' }, String(l)),
      make('td', { class: 'text' }, text)))));
}

function source(k) {
  const n = k.insns, files = new Map();
  n.ip.forEach((ip, i) => {
    const line = n.line && n.line[i], file = fileOf(n, i);
    if (!line) return;
    if (!files.has(file)) files.set(file, new Map());
    const sums = files.get(file);
    sums.set(line, (sums.get(line) || 0) + Number(n.count[i]));
  });
  if (!files.size) return null;
  return make('div', { class: 'lines' },
    ...Array.from(files, ([file, sums]) => sourceTable(k, file, sums)));
}

// A line marks its instructions, an instruction its line.
function linkLines(part) {
  part.addEventListener('click', (event) => {
    const row = event.target.closest('tr[data-line]');
    if (!row) return;
    const others = row.closest('.source') ? '.code' : '.source';
    let first = null;
    for (const tr of part.querySelectorAll('tr[data-line]')) {
      const same = tr.dataset.line === row.dataset.line;
      tr.classList.toggle('linked', same);
      if (same && !first && tr.closest(others)) first = tr;
    }
    if (first) first.scrollIntoView({ block: 'nearest' });
  });
}

let shown = null;

function showKernel(k) {
  const part = document.getElementById('kernel');
  shown = k;
  part.hidden = false;
  const code = [make('h3', null, 'Instructions')];
  if (k.insns) {
    const both = make('div', { class: 'both' }, source(k), listing(k));
    linkLines(both);
    code.push(both);
  } else {
    code.push(make('p', null, 'This page has no room for the listing. See: ' +
      'softlake annotate profile.json ' + k.name));
  }
  part.replaceChildren(make('h2', { class: 'name' }, k.name), facts(k), ...mix(k),
    ...findingsOf(k), ...limitBars(k), ...laneBars(k), ...otherTables(k), ...code);
  markHits();
}

// ---- permalinks: #kernel=NAME&insn=0x1a0 --------------------------------

function follow() {
  const q = new URLSearchParams(location.hash.slice(1));
  const k = byKey.get(q.get('kernel'));
  if (!k) return;
  if (k !== shown) showKernel(k);
  const part = document.getElementById('kernel');
  for (const tr of part.querySelectorAll('.target')) tr.classList.remove('target');
  const row = q.has('insn') &&
    part.querySelector('.code tr[data-ip="' + Number(q.get('insn')) + '"]');
  if (row) {
    row.classList.add('target');
    row.scrollIntoView({ block: 'center' });
  } else {
    part.scrollIntoView();
  }
}

// ---- timeline: a row of batches and a row of work per context -----------

const ROW = 20;

function showTimeline(columns) {
  const canvas = document.getElementById('lanes');
  const events = columns.kind.map((kind, i) => ({
    kind, begin: columns.begin_ns[i], end: columns.end_ns[i],
    row: 2 * (columns.context[i] - 1) + (kind === 'batch' || kind === 'submit' ? 0 : 1),
    kernels: (columns.kernels && columns.kernels[i]) || [],
    size: columns.size && columns.size[i], process: columns.process[i],
    context: columns.context[i], batch: columns.batch && columns.batch[i] }));
  const first = Math.min(...events.map((e) => e.begin));
  const last = Math.max(...events.map((e) => e.end), first + 1);
  const height = ROW * (Math.max(...events.map((e) => e.row)) + 2);
  const colours = { submit: '--text', batch: '--g5', draw: '--g3', dispatch: '--g1' };
  let from = first, to = last, dragged = null, moved = false;

  const toX = (t) => (t - from) / (to - from) * canvas.clientWidth;
  const toTime = (x) => from + x / canvas.clientWidth * (to - from);

  function draw() {
    const scale = window.devicePixelRatio || 1, c = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    canvas.style.height = height + 'px';
    canvas.width = canvas.clientWidth * scale;
    canvas.height = height * scale;
    c.scale(scale, scale);
    c.font = '11px sans-serif';
    for (const e of events) {
      const x = toX(e.begin), w = Math.max(toX(e.end) - x, 1);
      if (x + w < 0 || x > canvas.clientWidth) continue;
      const y = e.row * ROW + ROW / 2;
      c.fillStyle = style.getPropertyValue(colours[e.kind]);
      c.fillRect(x, y, w, e.kind === 'submit' ? 4 : ROW - 2);
      if (w < 60 || e.kind === 'submit') continue;
      c.fillStyle = '#ffffff';
      c.fillText(title(e), Math.max(x, 0) + 4, y + ROW - 7, w - 8);
    }
  }

  function title(e) {
    const what = e.kernels.length ? e.kernels[e.kernels.length - 1] : e.batch || '';
    return e.kind + ' ' + what;
  }

  function find(event) {
    const r = canvas.getBoundingClientRect();
    const t = toTime(event.clientX - r.left), slack = 2 * (to - from) / r.width;
    const row = Math.floor((event.clientY - r.top - ROW / 2) / ROW);
    return events.filter((e) => e.row === row && e.kind !== 'submit' &&
      e.begin - slack <= t && t <= e.end + slack).pop();
  }

  function describe(e) {
    const text = !e ? '\u00a0' : title(e) + ', ' + e.process + ', context ' +
      e.context + ', ' + ((e.end - e.begin) / 1000).toFixed(1) + ' \u00b5s at ' +
      ((e.begin - first) / 1e6).toFixed(3) + ' ms' +
      (e.size ? ', ' + e.size.join(' \u00d7 ') +
        (e.kind === 'draw' ? ' vertices and instances' : ' groups') : '');
    document.getElementById('event').textContent = text;
  }

  function show(newFrom, newTo) {
    const width = Math.min(Math.max(newTo - newFrom, 100), last - first);
    from = Math.min(Math.max(newFrom, first), last - width);
    to = from + width;
    draw();
  }

  canvas.addEventListener('wheel', (event) => {
    const t = toTime(event.offsetX), f = event.deltaY > 0 ? 1.25 : 0.8;
    event.preventDefault();
    show(t - (t - from) * f, t + (to - t) * f);
  }, { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    dragged = { x: event.offsetX, from, to };
    moved = false;
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!dragged) return describe(find(event));
    const shift = (dragged.x - event.offsetX) / canvas.clientWidth * (to - from);
    moved = moved || Math.abs(dragged.x - event.offsetX) > 3;
    if (moved) show(dragged.from + shift, dragged.to + shift);
  });
  window.addEventListener('pointerup', () => { dragged = null; });
  canvas.addEventListener('click', (event) => {
    const e = !moved && find(event);
    if (e && e.kernels.length)
      location.hash = link(e.kernels[e.kernels.length - 1]);
  });
  canvas.addEventListener('dblclick', () => show(first, last));
  window.addEventListener('resize', draw);
  document.getElementById('timeline').hidden = false;
  document.querySelector('nav a[href="#timeline"]').hidden = false;
  draw();
}

// ---- raw data: schema 1, as --json writes it ----------------------------

function toList(columns) {
  const names = Object.keys(columns);
  if (!names.length) return [];
  return columns[names[0]].map((_, i) => Object.fromEntries(names
    .map((c) => [c, c === 'text' ? data.texts[columns.text[i]] : columns[c][i]])
    .filter(([, v]) => v !== null)));
}

function rawData() {
  const { texts, ...all } = data;
  for (const list of ['timeline', 'draws'])
    if (all[list]) all[list] = toList(all[list]);
  all.kernels = kernels.map(({ key, insns, ...k }) => {
    return insns ? { ...k, insns: toList(insns) } : k;
  });
  return JSON.stringify(all, null, 1);
}

function save() {
  const a = make('a', { download: 'profile.json',
    href: URL.createObjectURL(new Blob([rawData()], { type: 'application/json' })) });
  a.click();
  URL.revokeObjectURL(a.href);
}

// ---- start --------------------------------------------------------------

if (document.getElementById('frames'))
  document.querySelector('nav a[href="#frames"]').hidden = false;
if (data.draws) document.querySelector('nav a[href="#draws"]').hidden = false;
for (const a of document.querySelectorAll('a[data-i]'))
  a.href = link(kernels[a.dataset.i].key,
    a.dataset.ip === undefined ? undefined : Number(a.dataset.ip));
for (const head of table.tHead.rows[0].cells)
  head.addEventListener('click', () => sortBy(head));
document.getElementById('search').addEventListener('input', search);
document.getElementById('save').addEventListener('click', save);
window.addEventListener('hashchange', follow);
if (data.timeline && data.timeline.kind && data.timeline.kind.length)
  showTimeline(data.timeline);
follow();
}());
