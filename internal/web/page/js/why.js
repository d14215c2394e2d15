// Why an answer is as it is: who answered, what it was given, and where that was said.
import { get, part } from './api.js';
import { h } from './dom.js';
import { shown, Source } from './load.js';
import { figure, figures, panelOf, place, quotes, who } from './shape.js';
import { dayClock, number, day, short } from './words.js';

const parts = [
  ['system', 'System prompt'], ['memory', 'Memory: facts and quotes'], ['tail', 'Newest turns, verbatim'], ['input', 'Your message'], ['tools', 'Tools and their results'],
];

export class Why {
  /** @param {string} id of the receipt @param {() => void} close */
  constructor(id, close) {
    this.id = id;
    this.end = close;
    this.source = new Source((signal) => get(`api/receipts/${part(id)}`, { format: 'nodes' }, signal));
    this.source.again();
  }

  close() { this.source.close(); }

  view() {
    return panelOf(this.id, 'Why this answer', this.end, shown(this.source, (receipt) => reasons(receipt)));
  }
}

/** @param {any} r */
function reasons(r) {
  const who = r.responder?.kind === 'recall' ? 'memory alone, without a model' : r.model || r.responder?.model || 'the model';
  return [
    h('p', { class: 'note' }, `Answered by ${who} on ${dayClock(r.at)}. This is what it was given.`),
    given(r.context),
    facts(r.facts),
    recalled(r.recalled),
    sent(r.sent, r._lineage_root_id),
    r.tools?.length > 0 && [h('h3', null, `Tools (${r.tools.length})`), h('ul', { class: 'quiet' }, r.tools.map((/** @type {any} */ t) => h('li', null, `${t.name}, ${t.ms} ms, ${t.ok ? 'done' : 'failed'}`)))],
    r.system && h('details', null, h('summary', null, 'System prompt'), h('pre', { tabindex: 0 }, r.system)),
    r.settings && h('details', null, h('summary', null, 'Settings of the call'), h('pre', { tabindex: 0 }, JSON.stringify(r.settings, null, 2))),
    h('p', { class: 'note mono' }, r.id),
  ];
}

/** @param {any} c */
export function given(c) {
  if (!c) return null;
  const used = parts.filter(([name]) => c[name] > 0);
  const whole = used.reduce((sum, [name]) => sum + c[name], 0) || 1;
  return [
    h('div', { class: 'bar-of', 'aria-hidden': 'true' }, used.map(([name]) => h('span', { key: name, class: `part-${name}`, css: { width: `${(c[name] / whole) * 100}%` } }))),
    figures('Tokens of the prompt, by part', [
      used.map(([name, text]) => figure(name, [h('span', { class: `swatch part-${name}` }), text], number(c[name]))),
      h('tr', { class: 'sum' }, h('th', { scope: 'row' }, `Sent, of ${number(c.budget_tokens)}`), h('td', null, number(c.sent_tokens))),
      figure('naive', 'The whole history would be', number(c.naive_tokens)),
    ]),
  ];
}

/** @param {any} f */
export const where = (f) => h('p', { class: 'note' }, `${who(f.role, f.speaker)}, ${day(f.said_at)}, `, place(f.session_id, f.seq));

/** @param {any[]} list */
function facts(list) {
  if (!list?.length) return null;
  return [h('h3', null, `Facts (${number(list.length)})`), quotes(list, (f) => [
    h('p', { class: 'said' }, f.status === 'current' ? `“${f.quote}”` : h('s', null, `“${f.quote}”`)),
    f.status !== 'current' && h('p', { class: 'note past' }, `No longer holds${f.superseded_at ? ` since ${day(f.superseded_at)}` : ''}`),
    where(f)])];
}

/** @param {any[]} list */
function recalled(list) {
  if (!list?.length) return null;
  return [h('h3', null, `Recalled (${number(list.length)})`), quotes(list, (q) => [h('p', { class: 'said' }, `“${short(q.quote, 600)}”`), where(q)])];
}

/** @param {any[]} list @param {string} root */
function sent(list, root) {
  if (!list?.length) return null;
  return h('details', null, h('summary', null, `Newest turns (${number(list.length)})`), quotes(list, (m) => [
    h('p', { class: m.role === 'user' ? 'said' : undefined }, short(m.content, 300)),
    h('p', { class: 'note' }, `${who(m.role, m.name)}, ${day(m.created_at)}, `, place(root, m.seq))]));
}
