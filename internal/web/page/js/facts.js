// What is known in a scope: facts by kind, what no longer holds, and what was said but is
// not taken as true.
import { get, part, post } from './api.js';
import { endOf } from './aside.js';
import { prompt, toast } from './dialog.js';
import { h } from './dom.js';
import { more, Pages } from './list.js';
import { empty, shown, Source } from './load.js';
import { place } from './shape.js';
import { change } from './store.js';
import { day, month, number, same, span } from './words.js';

/** @typedef {import('./memory.js').Memory} Memory */

/** kinds are the kinds of facts, in the order in which they are shown. */
export const kinds = /** @type {[string, string][]} */ ([
  ['decision', 'Decisions'], ['identity', 'Identity'], ['preference', 'Preferences'], ['instruction', 'Instructions'], ['fact', 'Facts'],
  ['number', 'Numbers'], ['event', 'Events'], ['cause', 'Causes'], ['question', 'Questions'], ['hypothetical', 'Suppositions'],
  ['third_party', 'About or by others'], ['negated', 'Denied'], ['quoted', 'Quoted'], ['proposal', 'Proposed by an answer'], ['retraction', 'Withdrawals'],
]);

export class Facts {
  /** @param {Scope} scope @param {Memory} memory */
  constructor(scope, memory) {
    this.scope = scope;
    this.memory = memory;
    this.filter = { q: '', kind: '', past: true, as_of: '', axis: 'known' };
    this.pages = new Pages((cursor, signal) => get('api/memory', { ...this.query(), cursor }, signal), (f) => f.id);
    this.source = new Source((signal) => this.pages.first(signal, true));
    this.aside = new Source((signal) => get('api/memory', { ...this.scope, asserted: 'false', status: 'all', limit: 100 }, signal));
    this.source.again();
  }

  close() { this.source.close(); this.aside.close(); }

  again() {
    this.source.again();
    if (this.aside.data) this.aside.again();
  }

  query() {
    const f = this.filter;
    return { ...this.scope, limit: 100, asserted: 'true', q: f.q, kind: f.kind, status: f.past ? 'all' : 'current', as_of: f.as_of && endOf(f.as_of), axis: f.as_of && f.axis === 'valid' ? 'valid' : '' };
  }

  /** doubted is how much was said and is not taken as true. */
  get doubted() {
    const c = this.source.data?.counts;
    return c ? c.total - c.asserted : 0;
  }

  /** counts says how many there are. */
  counts() {
    const c = this.source.data?.counts;
    if (!c) return null;
    const by = c.by_status ?? {};
    return `: ${number(Math.max(0, (by.current ?? 0) - this.doubted))} hold, ${number(by.reversed ?? 0)} replaced, ${number(this.doubted)} not taken as true`;
  }

  /** @param {Partial<Facts['filter']>} to */
  set(to) {
    this.filter = { ...this.filter, ...to };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.source.again(), 120);
    change();
  }

  view() {
    const f = this.filter;
    return [
      h('div', { class: 'tools-row', key: 'tools' },
        h('input', { type: 'search', placeholder: 'Find in memory', 'aria-label': 'Find in memory', value: f.q, oninput: (e) => this.set({ q: e.target.value }) }),
        h('select', { 'aria-label': 'Kind', onchange: (e) => this.set({ kind: e.target.value }) }, h('option', { value: '' }, 'every kind'), kinds.slice(0, 8).map(([k, text]) => h('option', { value: k, selected: k === f.kind }, text))),
        h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: f.past, onchange: (e) => this.set({ past: e.target.checked }) }), 'also what no longer holds'),
        h('label', null, h('select', { 'aria-label': 'What the date means', onchange: (e) => this.set({ axis: e.target.value }) }, h('option', { value: 'known' }, 'as known on'), h('option', { value: 'valid', selected: f.axis === 'valid' }, 'as true on')),
          h('input', { type: 'date', 'aria-label': 'Date', value: f.as_of, onchange: (e) => this.set({ as_of: e.target.value }) }))),
      h('div', { class: 'scroll', key: 'facts' }, h('div', { class: 'facts' }, shown(this.source, () => this.groups(this.pages.items)), this.doubtful())),
    ];
  }

  /** @param {any[]} list */
  groups(list) {
    const f = this.filter;
    if (list.length === 0) {
      return f.q || f.kind || f.as_of ? empty('No fact matches.') : empty('What people say in this session will be listed here: decisions, wishes, who somebody is. Say something in it, or add a fact.');
    }
    const counts = f.q || f.as_of || !f.past ? {} : this.source.data?.counts?.by_kind ?? {};
    return [
      kinds.map(([kind, title]) => [kind, title, list.filter((x) => x.kind === kind)]).filter(([, , rows]) => rows.length > 0)
        .map(([kind, title, rows]) => h('section', { key: kind }, h('h2', null, title, ' ', h('span', { class: 'soft' }, number(counts[/** @type {string} */ (kind)] ?? rows.length))),
          h('ul', null, /** @type {any[]} */ (rows).map((x) => h('li', { key: x.id }, this.row(x)))))),
      more(this.pages),
    ];
  }

  /** @param {any} x */
  row(x) {
    const holds = x.status === 'current';
    return h('a', { class: 'row', href: `${this.memory.base}/facts?fact=${encodeURIComponent(x.id)}`, 'aria-current': this.memory.fact?.id === x.id ? 'true' : undefined },
      h('span', { class: 'statement' }, holds ? x.statement : h('s', null, x.statement), (x.links ?? []).some((/** @type {any} */ l) => l.kind === 'perhaps') && h('span', { class: 'note warn' }, ' perhaps replaces another')),
      h('span', { class: 'side' }, holds ? `since ${day(x.said_at)}` : span(x.said_at, x.superseded_at ?? x.said_at)),
      !same(x.quote, x.statement) && h('span', { class: 'quote said' }, `“${x.quote}”`));
  }

  // doubtful are sentences that were said, and are not taken as true.
  doubtful() {
    const n = this.doubted;
    if (!n) return null;
    const opened = (/** @type {any} */ e) => { if (e.target.open && !this.aside.data && !this.aside.busy) this.aside.again(); };
    return h('details', { key: 'aside', ontoggle: opened }, h('summary', null, `Not taken as true (${number(n)})`),
      h('p', { class: 'note' }, 'Questions, suppositions, what others think. It was said, and is never shown as true.'),
      shown(this.aside, (page) => this.doubtfulGroups(page.data)));
  }

  /** @param {any[]} list */
  doubtfulGroups(list) {
    return kinds.slice(8).map(([kind, title]) => [title, list.filter((x) => x.kind === kind)]).filter(([, rows]) => rows.length > 0)
      .map(([title, rows]) => h('section', { key: title }, h('h2', null, title, ' ', h('span', { class: 'soft' }, number(rows.length))),
        h('ul', null, /** @type {any[]} */ (rows).map((x) => h('li', { key: x.id }, this.row(x))))));
  }
}

/** addFact remembers a sentence. @param {Memory} memory */
export async function addFact(memory) {
  const added = await prompt({ title: 'Add to this memory', label: 'What is so, in one sentence', action: 'Remember', long: true },
    (statement) => post('api/memory', { statement }, { query: memory.scope }));
  if (!added) return;
  memory.changed();
  toast('Remembered.');
}

// Decisions, their reasons, and how they were reversed, in the order they were said.
/** @param {Scope} scope @param {import('./memory.js').Memory} memory */
export function timeline(scope, memory) {
  let topic = '';
  /** @type {any} */
  let timer;
  const pages = new Pages((cursor, signal) => get('api/memory/timeline', { ...scope, topic, limit: 100, cursor }, signal), (f) => f.id);
  const source = new Source((signal) => pages.first(signal, true));
  source.again();
  const find = (/** @type {any} */ e) => { topic = e.target.value; clearTimeout(timer); timer = setTimeout(() => source.again(), 150); change(); };
  return {
    again: () => { source.again(); },
    close: () => source.close(),
    view: () => [
      h('div', { class: 'tools-row', key: 'tools' }, h('input', { type: 'search', placeholder: 'Topic', 'aria-label': 'Topic', value: topic, oninput: find })),
      h('div', { class: 'scroll', key: 'timeline' }, h('div', { class: 'facts' }, shown(source, () => [
        pages.items.length === 0 && empty(topic ? 'Nothing was decided about this.' : 'Decisions and what became of them will be listed here.'),
        months(pages.items, memory),
        more(pages),
      ]))),
    ],
  };
}

/** @param {any[]} facts @param {import('./memory.js').Memory} memory */
function months(facts, memory) {
  const byID = new Map(facts.map((f) => [f.id, f]));
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const f of facts) groups.set(month(f.said_at), [...(groups.get(month(f.said_at)) ?? []), f]);
  return [...groups].map(([name, list]) => h('section', { key: name }, h('h2', null, name),
    h('ol', { class: 'chain' }, list.map((f) => knot(f, byID, memory)))));
}

/** knot is a decision, or a reversal with both of its sides. @param {any} f @param {Map<string, any>} byID @param {import('./memory.js').Memory} memory */
function knot(f, byID, memory) {
  const olds = (f.links ?? []).filter((/** @type {any} */ l) => l.kind === 'supersedes').map((/** @type {any} */ l) => byID.get(l.to)).filter(Boolean);
  return h('li', { key: f.id, class: f.status === 'current' ? 'holds' : undefined },
    olds.map((/** @type {any} */ old) => h('p', { key: old.id }, h('s', { class: 'said' }, old.quote), old.because && !old.quote.includes(old.because) && h('span', { class: 'note' }, ` because ${old.because}`))),
    h('p', { class: 'said' }, f.status === 'current' ? f.quote : h('s', null, f.quote)),
    f.because && !f.quote.includes(f.because) && h('p', { class: 'note' }, `because ${f.because}`),
    h('p', { class: 'note' }, `${olds.length > 0 ? 'Changed on ' : ''}${day(f.said_at)}${f.superseded_at ? `, until ${day(f.superseded_at)}` : ''}, `,
      place(f.session_id, f.seq), ' · ',
      h('a', { href: `${memory.base}/timeline?fact=${part(f.id)}` }, 'How it came to be')));
}
