// One fact: who said it, where, what it replaced, and what replaced it.
import { get, part, patch, remove } from './api.js';
import { ask, once, prompt, toast } from './dialog.js';
import { h } from './dom.js';
import { shown, Source } from './load.js';
import { reason } from './facts.js';
import { pairs, panelOf, place, quotes, who } from './shape.js';
import { dropDrafts } from './store.js';
import { day, dayClock, days, exact, number, plural, short } from './words.js';

const longest = 40; // steps of a chain

export class FactPanel {
  /** @param {string} id @param {import('./memory.js').Memory} memory */
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
        h('p', null, `The fact goes, and so do its words in message ${number(fact.seq)}. This cannot be undone.`)),
    });
    if (!sure) return;
    const out = await remove(`api/memory/${part(fact.id)}`, { query: this.memory.scope });
    dropDrafts(fact.quote);
    this.memory.closePanel();
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
        h('div', { class: 'buttons' }, h('button', { onclick: () => this.edit() }, 'Edit…'), h('button', { onclick: once(() => this.forget()) }, 'Forget…')),
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
