// What was sent to models, against sending the whole history each time.
import { get, part } from './api.js';
import { h } from './dom.js';
import { cells, check, choice, column, empty, grid, head, Screen, shown } from './screen.js';
import { change, save } from './store.js';
import { dayClock, now, number, plural, utcDay } from './words.js';

class Cost extends Screen {
  constructor() {
    super('Cost');
    this.filter = { days: '30', bucket: 'day', by: '' };
    this.log = false;
    this.source = this.reads((signal) => {
      const { days, bucket, by } = this.filter;
      return get('api/cost', { from: new Date(now() - Number(days) * 864e5).toISOString(), bucket, by }, signal);
    });
    this.source.again();
  }

  /** @param {Partial<Cost['filter']>} to */
  set(to) {
    this.filter = { ...this.filter, ...to };
    // A year of hours is more than the server gives at once.
    if (Number(this.filter.days) > 40 && this.filter.bucket === 'hour') this.filter.bucket = 'day';
    this.source.again();
    change();
  }

  content() {
    /** @param {'days' | 'bucket' | 'by'} name @param {string} label @param {[string, string][]} options */
    const by = (name, label, options) => h('label', null, label, choice(options, this.filter[name], (to) => this.set({ [name]: to })));
    return [
      head('', 'Cost'),
      h('div', { class: 'tools-row' },
        by('days', 'the last', [['1', 'day'], ['7', '7 days'], ['30', '30 days'], ['365', 'year']]),
        by('bucket', 'by', [['hour', 'hour'], ['day', 'day'], ['week', 'week']]),
        by('by', 'and', [['', 'all together'], ['session', 'session'], ['model', 'model'], ['source', 'source']]),
        check('log scale', this.log, (so) => { this.log = so; change(); })),
      column('wide', shown(this.source, (report) => this.report(report))),
    ];
  }

  /** @param {any} r */
  report(r) {
    if (r.turns === 0) return empty('Turns of this time will be counted here: what was sent, and what the whole history would have been.');
    const points = together(r.data);
    const when = r.bucket === 'hour' ? dayClock : utcDay;
    const less = r.naive_tokens > 0 ? Math.round((1 - r.sent_tokens / r.naive_tokens) * 100) : 0;
    const sentence = `${plural(r.turns, 'turn')}: ${number(r.sent_tokens)} tokens sent. The whole history each time would have been ${number(r.naive_tokens)}${less > 0 ? `, so ${less} % less was sent` : ''}.`;
    return [
      h('p', null, sentence),
      h('ul', { class: 'legend', 'aria-hidden': 'true' }, colours.map(([name, text]) => h('li', { key: name }, h('span', { class: `swatch part-${name}` }), text)), h('li', null, '- - the whole history')),
      plot(points, { log: this.log, when, title: `Tokens sent by ${r.bucket}`, summary: sentence }),
      r.groups?.length > 0 && groups(r),
      h('div', null, h('button', { onclick: () => save('cost.csv', csv(r.data), 'text/csv') }, 'Save as CSV')),
      table(points, r.bucket, when),
    ];
  }
}

/** @param {any[]} data */
function together(data) {
  /** @type {Map<string, any>} */
  const by = new Map();
  for (const d of data) {
    const at = by.get(d.at) ?? { at: d.at, turns: 0, sent: 0, naive: 0, parts: {} };
    at.turns += d.turns;
    at.sent += d.context.sent_tokens;
    at.naive += d.context.naive_tokens;
    for (const [name] of colours) at.parts[name] = (at.parts[name] ?? 0) + (d.context[name] ?? 0);
    by.set(d.at, at);
  }
  return [...by.values()].sort((a, b) => a.at.localeCompare(b.at));
}

/** @param {string} t */
const right = (t) => h('th', { scope: 'col', class: 'right' }, t);
const heads = () => ['Turns', 'Sent', 'Whole history'].map(right);

/** @param {number} n */
const counted = (n) => h('td', { class: 'right' }, number(n));

/** @param {any} r */
function groups(r) {
  return grid(`By ${r.by}`, [r.by, ...heads()], r.groups.map((/** @type {any} */ g) => cells(g.group,
    r.by === 'session' && g.group !== 'other' ? h('a', { href: `#/sessions/${part(g.group)}` }, g.title ?? g.group) : g.group ?? 'none',
    ...[g.turns, g.sent_tokens, g.naive_tokens].map(counted))));
}

/** @param {any[]} points @param {string} bucket @param {(t: string) => string} when */
function table(points, bucket, when) {
  return h('details', null, h('summary', null, 'As a table'), grid('Figures', [bucket, ...heads(), ...colours.map(([, t]) => right(t))],
    points.map((p) => cells(p.at, when(p.at), ...[p.turns, p.sent, p.naive, ...colours.map(([name]) => p.parts[name])].map(counted)))));
}

/** csv is the report for other programs. A cell is never taken for a formula there. @param {any[]} data */
function csv(data) {
  const cell = (/** @type {any} */ v) => { const t = String(v ?? ''); return `"${(/^[=+\-@\t\r]/.test(t) && typeof v !== 'number' ? `'${t}` : t).replace(/"/g, '""')}"`; };
  const rows = data.map((d) => [d.at, d.group, d.turns, d.context.sent_tokens, d.context.naive_tokens, ...colours.map(([name]) => d.context[name] ?? 0)]);
  return [['at', 'group', 'turns', 'sent_tokens', 'naive_tokens', ...colours.map(([name]) => name)], ...rows].map((r) => r.map(cell).join(',')).join('\r\n');
}

export const open = () => new Cost();

// The plot of costs: what was sent as stacked bars, the whole history as a line.
/** @typedef {{at: string, sent: number, naive: number, parts: Record<string, number>}} Point */

/** colours are the parts of a prompt, from the bottom of a bar to its top. */
const colours = [
  ['system', 'system prompt'], ['memory', 'memory'], ['tail', 'newest turns'], ['tools', 'tools'], ['input', 'message'],
];

// The box is as wide as there is room: drawn smaller, its words could not be read.
const box = { get width() { return Math.min(900, innerWidth - 32); }, height: 260, left: 64, right: 8, top: 8, bottom: 24 };

const short = new Intl.NumberFormat('en-GB', { notation: 'compact' });

/** @param {number} most @param {boolean} log */
function ticks(most, log) {
  if (log) return Array.from({ length: Math.ceil(Math.log10(most)) + 1 }, (_, i) => 10 ** i).filter((n) => n <= most * 1.01);
  const rough = most / 4;
  const size = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= rough) ?? size;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/**
 * @param {Point[]} points @param {{log: boolean, title: string, summary: string, when: (t: string) => string}} of
 */
function plot(points, of) {
  const most = Math.max(1, ...points.map((p) => Math.max(p.sent, p.naive)));
  const high = box.height - box.top - box.bottom;
  const wide = box.width - box.left - box.right;
  const y = (/** @type {number} */ n) => {
    const share = of.log ? Math.log10(Math.max(n, 1)) / Math.max(Math.log10(most), 1) : n / most;
    return box.height - box.bottom - share * high;
  };
  const slot = wide / points.length;
  const x = (/** @type {number} */ i) => box.left + i * slot;
  return h('figure', { class: 'plot' }, h('svg:svg', { viewBox: `0 0 ${box.width} ${box.height}`, role: 'img', 'aria-label': `${of.title}. ${of.summary}` },
    ticks(most, of.log).map((n) => [
      h('svg:line', { class: 'axis', x1: box.left, x2: box.width - box.right, y1: y(n), y2: y(n) }),
      h('svg:text', { x: box.left - 6, y: y(n) + 4, 'text-anchor': 'end' }, short.format(n)),
    ]),
    points.map((p, i) => bar(p, x(i), Math.max(1, Math.min(slot - 2, 28)), y, slot, of.when)),
    h('svg:path', { class: 'naive', d: points.map((p, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(p.naive).toFixed(1)}h${slot.toFixed(1)}`).join('') }),
    labels(points, (i) => x(i) + slot / 2, of.when)));
}

/** bar is a time, with its parts on top of each other. @param {Point} p @param {number} left @param {number} width @param {(n: number) => number} y @param {number} slot @param {(t: string) => string} when */
function bar(p, left, width, y, slot, when) {
  let below = 0;
  const at = left + (slot - width) / 2;
  return h('svg:g', { key: p.at }, h('svg:title', null, `${when(p.at)}: ${number(p.sent)} sent, whole history ${number(p.naive)}`), colours.map(([name]) => {
    const n = p.parts[name] ?? 0;
    if (n === 0) return null;
    const [bottom, top] = [y(below), y(below + n)];
    below += n;
    return h('svg:rect', { key: name, class: `part-${name}`, x: at.toFixed(1), width: width.toFixed(1), y: top.toFixed(1), height: Math.max(0, bottom - top).toFixed(1) });
  }));
}

/** @param {Point[]} points @param {(i: number) => number} x @param {(t: string) => string} when */
function labels(points, x, when) {
  const every = Math.ceil(points.length * 140 / box.width) || 1;
  return points.map((p, i) => i % every === 0 && h('svg:text', { key: p.at, x: x(i), y: box.height - 6, 'text-anchor': i === 0 && points.length > 1 ? 'start' : 'middle' }, when(p.at)));
}
