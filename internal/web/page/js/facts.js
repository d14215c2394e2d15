// What is known in a scope: facts by kind, what no longer holds, and what was said but is
// not taken as true.
import { get, post } from './api.js';
import { endOf } from './aside.js';
import { failed, prompt, toast } from './dialog.js';
import { h } from './dom.js';
import { empty, shown, Source } from './load.js';
import { change } from './store.js';
import { day, number, same, span } from './words.js';

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
    /** @type {any[]} */
    this.extra = [];
    /** @type {string | null} */
    this.cursor = null;
    this.source = new Source(async (signal) => {
      const page = await get('api/memory', this.query('true'), signal);
      this.extra = [];
      this.cursor = page.next_cursor ?? null;
      return page;
    });
    this.aside = new Source((signal) => get('api/memory', { ...this.scope, asserted: 'false', status: 'all', limit: 100 }, signal));
    this.source.again();
  }

  close() { this.source.close(); this.aside.close(); }

  again() {
    this.source.again();
    if (this.aside.data) this.aside.again();
  }

  /** @param {string} asserted */
  query(asserted) {
    const f = this.filter;
    return { ...this.scope, limit: 100, asserted, q: f.q, kind: f.kind, status: f.past ? 'all' : 'current', as_of: f.as_of && endOf(f.as_of), axis: f.as_of && f.axis === 'valid' ? 'valid' : '' };
  }

  async more() {
    try {
      const page = await get('api/memory', { ...this.query('true'), cursor: this.cursor });
      this.extra = [...this.extra, ...page.data];
      this.cursor = page.next_cursor ?? null;
      change();
    } catch (err) { failed(err); }
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
      h('div', { class: 'scroll', key: 'facts' }, h('div', { class: 'facts' }, shown(this.source, (page) => this.groups([...page.data, ...this.extra])), this.doubtful())),
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
      this.cursor && h('p', null, h('button', { onclick: () => this.more() }, 'More')),
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
  const statement = await prompt({ title: 'Add to this memory', label: 'What is so, in one sentence', action: 'Remember', long: true });
  if (!statement?.trim()) return;
  try {
    await post('api/memory', { statement: statement.trim() }, { query: memory.scope });
    memory.changed();
    toast('Remembered.');
  } catch (err) { failed(err); }
}
