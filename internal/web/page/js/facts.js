// What is known in a scope: facts by kind, what no longer holds, what was said but is not
// taken as true, and how one fact came to be.
import { get, part, patch, post, remove } from './api.js';
import { ask, once, prompt, toast } from './dialog.js';
import { h } from './dom.js';
import { more, Pages } from './list.js';
import { check, choice, empty, finder, pairs, panelOf, place, quotes, shown, Source, who } from './screen.js';
import { patient } from './runs.js';
import { calm, change, dropDrafts, state } from './store.js';
import { day, dayClock, days, endOf, exact, month, number, plural, same, short, span } from './words.js';

/** @typedef {import('./memory.js').Memory} Memory */

const kinds = /** @type {[string, string][]} */ ([
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
/** @param {Scope} scope @param {Memory} memory */
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

/** @param {any[]} facts @param {Memory} memory */
function months(facts, memory) {
  const byID = new Map(facts.map((f) => [f.id, f]));
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const f of facts) groups.set(month(f.said_at), [...(groups.get(month(f.said_at)) ?? []), f]);
  return [...groups].map(([name, list]) => h('section', { key: name }, h('h2', null, name),
    h('ol', { class: 'chain' }, list.map((f) => knot(f, byID, memory)))));
}

/** reason is why a fact is so, unless its quote says that. @param {any} f @param {string} [before] */
const reason = (f, before = '') => (f.because && !f.quote.includes(f.because) ? `${before}because ${f.because}` : '');

/** knot is a decision, or a reversal with both of its sides. @param {any} f @param {Map<string, any>} byID @param {Memory} memory */
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

// One fact: who said it, where, what it replaced, and what replaced it.
const longest = 40; // steps of a chain

export class FactPanel {
  /** @param {string} id @param {Memory} memory */
  constructor(id, memory) {
    this.id = id;
    this.memory = memory;
    this.source = new Source(async (signal) => {
      const fact = await this.one(id, signal);
      const doubted = (fact.links ?? []).filter((/** @type {any} */ l) => l.kind === 'perhaps');
      const perhaps = await Promise.all(doubted.map((/** @type {any} */ l) => this.one(l.to, signal).catch(() => null)));
      return { fact, chain: await this.chain(fact, signal), perhaps: perhaps.filter(Boolean) };
    });
    this.source.again();
  }

  close() { this.source.close(); }

  again() { this.source.again(); }

  /** @param {string} id @param {AbortSignal} signal */
  one(id, signal) { return get(`api/memory/${part(id)}`, this.memory.scope, signal); }

  // chain are the versions of a fact, oldest first.
  /** @param {any} fact @param {AbortSignal} signal */
  async chain(fact, signal) {
    const chain = [fact];
    const seen = new Set([fact.id]);
    /** @param {string | null | undefined} id */
    const next = async (id) => {
      if (!id || seen.has(id) || chain.length >= longest) return null;
      seen.add(id);
      return this.one(id, signal).catch(() => null);
    };
    /** @param {any} f */
    const replaced = (f) => (f.links ?? []).filter((/** @type {any} */ l) => l.kind === 'supersedes').map((/** @type {any} */ l) => l.to);
    for (let queue = replaced(fact); queue.length > 0;) {
      const f = await next(queue.shift());
      if (!f) continue;
      chain.push(f);
      queue = [...queue, ...replaced(f)];
    }
    for (let f = await next(fact.superseded_by); f; f = await next(f.superseded_by)) chain.push(f);
    return chain.sort((a, b) => new Date(a.said_at).getTime() - new Date(b.said_at).getTime() || a.message_id - b.message_id);
  }

  async edit() {
    const fact = this.source.data?.fact;
    if (!fact) return;
    const made = await prompt({ title: 'Edit this fact', label: 'How it is now. The version before stays in the history.', value: fact.statement, action: 'Save as a new version', long: true },
      (statement) => this.put(fact.id, statement));
    if (!made) return;
    const id = this.show(made);
    toast('A new version is remembered.', id ? async () => { this.show(await this.put(id, fact.statement)); } : undefined);
  }

  /** @param {any} made */
  show(made) {
    const id = made.data[0]?.id;
    this.memory.changed();
    if (id) this.memory.openFact(id);
    return id;
  }

  /** @param {string} id @param {string} statement */
  put(id, statement) { return patch(`api/memory/${part(id)}`, { statement }, { query: this.memory.scope }); }

  async forget() {
    const fact = this.source.data?.fact;
    const sure = await ask({
      title: 'Forget this fact?', word: 'forget', action: 'Forget 1 fact and its words',
      text: h('div', { class: 'stack' }, h('p', { class: 'said' }, `“${fact.quote}”`),
        h('p', null, `The fact goes, and so do its words in message ${number(fact.seq)}.`)),
    });
    if (!sure) return;
    const { scope } = this.memory;
    const own = [scope.session_key, scope.session_id, fact.session_id];
    const out = await patient(() => remove(`api/memory/${part(fact.id)}`, { query: scope }), (r) => own.includes(r.session_key ?? r.lineage_root_id));
    dropDrafts(fact.quote);
    if (state.route.query.fact === this.id) this.memory.closePanel();
    this.memory.tab?.again?.();
    toast(`${plural(out.facts_erased, 'fact is', 'facts are')} forgotten, and the words are erased.`);
  }

  view() {
    const title = this.source.data ? short(this.source.data.fact.statement, 200) : 'A fact';
    return panelOf(this.id, title, () => this.memory.closePanel(),
      shown(this.source, ({ fact, chain, perhaps }) => [
        h('p', { class: 'said' }, `“${fact.quote}”`),
        fact.status !== 'current' && h('p', { class: 'past' }, `No longer holds${fact.superseded_at ? ` since ${day(fact.superseded_at)}` : ''}.`),
        details(fact),
        h('h3', null, 'How it came to be'),
        h('ol', { class: 'chain' }, chain.map((f) => step(f, fact))),
        perhaps.length > 0 && [h('h3', null, 'Perhaps replaces'), quotes(perhaps, (f) => [h('p', { class: 'said' }, `“${f.quote}”`), h('p', { class: 'note' }, `${dayClock(f.said_at)}. Both hold until somebody says which.`)])],
        h('div', { class: 'buttons' }, fact.status === 'current' && h('button', { onclick: () => this.edit() }, 'Edit…'), h('button', { onclick: once(() => this.forget()) }, 'Forget…')),
      ]));
  }
}

/** @param {any} f */
function details(f) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['said by', `${who(f.role, f.speaker)}, ${dayClock(f.said_at)}`],
    ['where', place(f.session_id, f.seq, ` of ${f.session_id}`)],
    ['because', f.because && h('span', { class: 'said' }, f.because)],
    ['about', f.when && days(f.when.from, f.when.to)],
    ['read as', (f.subject || f.attribute || f.value) && h('span', { class: 'mono' }, [f.subject, f.attribute, f.value].filter(Boolean).join(' · '))],
    ['kind', f.kind.replace('_', ' ')],
    ['found by', 'the server’s own reading, without a model'],
    ['id', h('span', { class: 'mono' }, f.id)],
  ]);
  return pairs(rows);
}

/** step is one version. A reason that is in the quote is not repeated. @param {any} f @param {any} on */
function step(f, on) {
  return h('li', { key: f.id, class: f.status === 'current' ? 'holds' : undefined },
    h('p', { class: 'said' }, f.id === on.id ? h('strong', null, f.quote) : f.quote),
    h('p', { class: 'note', title: exact(f.said_at) }, `${dayClock(f.said_at)}${reason(f, ', ')}`, f.status === 'current' ? '. Holds.' : '',
      ' ', place(f.session_id, f.seq)));
}
