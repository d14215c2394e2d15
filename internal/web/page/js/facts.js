// What is known in a scope: facts by kind, what no longer holds, and what was said but is
// not taken as true.
import { get, part, post } from './api.js';
import { prompt, toast } from './dialog.js';
import { h } from './dom.js';
import { more, Pages } from './list.js';
import { empty, shown, Source } from './load.js';
import { check, choice, finder, place } from './shape.js';
import { calm, change } from './store.js';
import { day, endOf, month, number, same, span } from './words.js';

/** @typedef {import('./memory.js').Memory} Memory */

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
    this.source = this.pages.source;
    this.soon = calm(() => this.pages.again(), 120);
    this.aside = new Source((signal) => get('api/memory', { ...this.scope, asserted: 'false', status: 'all', limit: 100 }, signal));
    this.pages.again();
  }

  close() { this.pages.close(); this.aside.close(); }

  again() {
    this.pages.again();
    if (this.aside.data) this.aside.again();
  }

  query() {
    const f = this.filter;
    return { ...this.scope, limit: 100, asserted: 'true', q: f.q, kind: f.kind, status: f.past ? 'all' : 'current', as_of: f.as_of && endOf(f.as_of), axis: f.as_of && f.axis === 'valid' ? 'valid' : '' };
  }

  get doubted() {
    const c = this.source.data?.counts;
    return c ? c.total - c.asserted : 0;
  }

  counts() {
    const c = this.source.data?.counts;
    if (!c) return null;
    const by = c.by_status ?? {};
    return `: ${number(Math.max(0, (by.current ?? 0) - this.doubted))} hold, ${number(by.reversed ?? 0)} replaced, ${number(this.doubted)} not taken as true`;
  }

  /** @param {Partial<Facts['filter']>} to */
  set(to) {
    this.filter = { ...this.filter, ...to };
    this.soon();
    change();
  }

  view() {
    const f = this.filter;
    return [
      h('div', { class: 'tools-row', key: 'tools' },
        finder('Find in memory', f.q, (q) => this.set({ q })),
        choice([['', 'every kind'], ...kinds.slice(0, 8)], f.kind, (kind) => this.set({ kind }), { 'aria-label': 'Kind' }),
        check('also what no longer holds', f.past, (past) => this.set({ past })),
        h('label', null, choice([['known', 'as known on'], ['valid', 'as true on']], f.axis, (axis) => this.set({ axis }), { 'aria-label': 'What the date means' }),
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
    return [this.byKind(kinds, list, counts), more(this.pages)];
  }

  /** @param {[string, string][]} kinds @param {any[]} list @param {Record<string, number>} counts of all, where they are known */
  byKind(kinds, list, counts) {
    return kinds.map(([kind, title]) => {
      const rows = list.filter((x) => x.kind === kind);
      return rows.length > 0 && h('section', { key: kind }, h('h2', null, title, ' ', h('span', { class: 'soft' }, number(counts[kind] ?? rows.length))),
        h('ul', null, rows.map((x) => h('li', { key: x.id }, this.row(x)))));
    });
  }

  /** @param {any} x */
  row(x) {
    const holds = x.status === 'current';
    return h('a', { class: 'row', href: `${this.memory.base}/facts?fact=${part(x.id)}`, 'aria-current': this.memory.fact?.id === x.id ? 'true' : undefined },
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
      shown(this.aside, (page) => this.byKind(kinds.slice(8), page.data, {})));
  }
}

/** @param {Memory} memory */
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
  const pages = new Pages((cursor, signal) => get('api/memory/timeline', { ...scope, topic, limit: 100, cursor }, signal), (f) => f.id);
  pages.again();
  const look = calm(() => pages.again());
  return {
    again: () => { pages.again(); },
    close: () => pages.close(),
    view: () => [
      h('div', { class: 'tools-row', key: 'tools' }, finder('Topic', topic, (to) => { topic = to; look(); change(); })),
      h('div', { class: 'scroll', key: 'timeline' }, h('div', { class: 'facts' }, shown(pages.source, () => [
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

/** reason is why a fact is so, unless its quote says that. @param {any} f @param {string} [before] */
export const reason = (f, before = '') => (f.because && !f.quote.includes(f.because) ? `${before}because ${f.because}` : '');

/** knot is a decision, or a reversal with both of its sides. @param {any} f @param {Map<string, any>} byID @param {import('./memory.js').Memory} memory */
function knot(f, byID, memory) {
  const olds = (f.links ?? []).filter((/** @type {any} */ l) => l.kind === 'supersedes').map((/** @type {any} */ l) => byID.get(l.to)).filter(Boolean);
  return h('li', { key: f.id, class: f.status === 'current' ? 'holds' : undefined },
    olds.map((/** @type {any} */ old) => h('p', { key: old.id }, h('s', { class: 'said' }, old.quote), h('span', { class: 'note' }, reason(old, ' ')))),
    h('p', { class: 'said' }, f.status === 'current' ? f.quote : h('s', null, f.quote)),
    reason(f) && h('p', { class: 'note' }, reason(f)),
    h('p', { class: 'note' }, `${olds.length > 0 ? 'Changed on ' : ''}${day(f.said_at)}${f.superseded_at ? `, until ${day(f.superseded_at)}` : ''}, `,
      place(f.session_id, f.seq), ' · ',
      h('a', { href: `${memory.base}/timeline?fact=${part(f.id)}` }, 'How it came to be')));
}
