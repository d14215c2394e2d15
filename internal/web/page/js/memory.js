// The place of memory: whose it is, what is known in it, and what it would give a model.
import { get, part, post } from './api.js';
import { ask } from './compose.js';
import { failed } from './dialog.js';
import { h } from './dom.js';
import { addFact, FactPanel, Facts, timeline } from './facts.js';
import { forget } from './forget.js';
import { Listing } from './list.js';
import { column, empty, figure, figures, finder, head, intro, pairs, rowOf, Screen, shown, Source, when } from './screen.js';
import { where } from './message.js';
import { calm, change, randomID } from './store.js';
import { day, endOf, number, plural, short } from './words.js';

/** @typedef {{view: () => Kid, close?: () => void, again?: () => void}} Tab */

const tabs = /** @type {[string, string, (scope: Scope, m: Memory) => Tab][]} */ ([
  ['facts', 'Facts', (scope, m) => new Facts(scope, m)],
  ['timeline', 'Timeline', (scope, m) => timeline(scope, m)],
  ['shown', 'Shown to a model', (scope) => shownToModel(scope)],
  ['try', 'Try a question', (scope) => tryQuestion(scope)],
  ['past', 'Ask the past', (scope) => askPast(scope)],
]);

export class Memory extends Screen {
  constructor() {
    super('Memory');
    this.kind = this.id = this.at = '';
    /** @type {Tab | null} */
    this.tab = null;
    /** @type {FactPanel | null} */
    this.fact = null;
    this.scopes = new Listing('api/memory/scopes', scopeKey, (s) => this.row(s));
    this.keys = { e: () => this.fact?.edit() };
    this.on(['memory', 'reset'], calm(() => { this.scopes.again(); this.changed(); }, 200));
  }

  close() {
    super.close();
    this.scopes.close();
    this.tab?.close?.();
    this.fact?.close();
  }

  title() { return this.id ? `What is known · ${this.id}` : this.name; }

  get scope() { return this.kind === 'key' ? { session_key: this.id } : { session_id: this.id }; }

  get base() { return `#/memory/${this.kind}/${part(this.id)}`; }

  /** @param {Route} route */
  go(route) {
    const [kind = '', id = '', at = 'facts'] = route.path;
    if (kind !== this.kind || id !== this.id || at !== this.at) {
      this.tab?.close?.();
      [this.kind, this.id, this.at] = [kind, id, at];
      this.tab = id ? (tabs.find(([name]) => name === at) ?? tabs[0])[2](this.scope, this) : null;
    }
    const fact = route.query.fact ?? '';
    if (fact === (this.fact?.id ?? '')) return;
    this.fact?.close();
    this.fact = fact && id ? new FactPanel(fact, this) : null;
  }

  /** @param {string} id */
  openFact(id) { location.hash = `${this.base}/${this.at}?fact=${part(id)}`; }

  closePanel() { location.hash = `${this.base}/${this.at}`; }

  changed() {
    this.tab?.again?.();
    this.fact?.again();
  }

  /** @param {any} s */
  row(s) {
    const [kind, id] = s.session_key ? ['key', s.session_key] : ['session', s._lineage_root_id];
    return rowOf({
      href: `#/memory/${kind}/${part(id)}`, current: this.kind === kind && this.id === id, title: s.title ?? id, side: when(s.last_said_at),
      id: s.session_key ? `session key, ${plural(s.sessions, 'session')}` : h('span', { class: 'mono' }, id), more: number(s.facts),
    });
  }

  list() {
    return [
      h('div', { class: 'finder' }, finder('Find a session or a key', this.scopes.filter.q, (q) => this.scopes.set('q', q), { type: this.id ? 'text' : 'search' })),
      this.scopes.view('Memories will be listed here. Tell something in a session, and come back.'),
    ];
  }

  panel() { return this.fact?.view(); }

  content() {
    if (!this.id) {
      return intro(this.name, 'Choose whose memory to look at: that of a session, or that of a session key, which several sessions share.',
        h('div', { class: 'buttons' }, h('button', { onclick: () => forget({}) }, 'Forget…')));
    }
    return [
      head('memory', 'What is known',
        h('p', { class: 'meta' }, h('span', { class: 'mono' }, this.id), this.tab instanceof Facts && this.tab.counts()),
        this.kind === 'session' && h('a', { href: `#/sessions/${part(this.id)}` }, 'Transcript'),
        h('button', { onclick: () => addFact(this) }, 'Add…'),
        h('button', { onclick: () => forget(this.scope) }, 'Forget…')),
      h('nav', { class: 'tabs', 'aria-label': 'Views of this memory' }, tabs.map(([name, text]) => h('a', { key: name, href: `${this.base}/${name}`, 'aria-current': name === this.at ? 'page' : undefined }, text))),
      this.tab?.view(),
    ];
  }
}

/** @param {any} s */
const scopeKey = (s) => (s.session_key ? `key ${s.session_key}` : `root ${s._lineage_root_id}`);

export const open = () => new Memory();

// What a model is shown of a memory: the block of the next turn to the letter, and its check.
/** @param {Scope} scope */
function shownToModel(scope) {
  const source = new Source((signal) => get('api/memory/state', scope, signal));
  /** @type {any} */
  let verdict = null;
  let busy = false;
  source.again();
  const verify = async () => {
    busy = true;
    change();
    try {
      const out = await post('api/memory/rebuild', { verify: true });
      verdict = out.data.find((/** @type {any} */ d) => (scope.session_key ? d.session_key === scope.session_key : d._lineage_root_id === scope.session_id && !d.session_key)) ?? { identical: out.identical, all: out.data.length };
    } catch (err) { failed(err); }
    busy = false;
    change();
  };
  return {
    again: () => { source.again(); },
    close: () => source.close(),
    view: () => column('wide', shown(source, (s) => [
      h('p', null, `The next turn is given ${plural(s.budget.used, 'token')} of memory, of ${number(s.budget.tokens)} at most. The words stand below as a model gets them.`),
      s.next ? h('pre', { class: 'block', tabindex: 0 }, s.next) : empty('Nothing is known yet, so nothing is shown.'),
      pairs([['state hash', h('span', { class: 'mono' }, s.state_hash)], ['facts', number(s.facts_total ?? 0)]]),
      h('div', null, h('button', { onclick: verify, disabled: busy }, busy ? 'Reading the messages again…' : 'Verify')),
      h('p', { class: 'note' }, 'Verify reads all messages again, makes the facts anew, and compares. Nothing is changed.'),
      verdict && h('p', { role: 'status', class: verdict.identical ? 'now' : 'bad' }, says(verdict)),
    ])),
  };
}

/** @param {any} v */
function says(v) {
  if (!v.identical) return 'Not the same. Rebuild the memory: hermes rebuild';
  return v.all ? `Identical, in ${plural(v.all, 'memory', 'memories')}.` : `Identical: ${plural(v.facts, 'fact')} from ${plural(v.messages, 'message')} give the same hash.`;
}

// What a question would find in a memory, and how that was weighed.
/** @param {Scope} scope */
function tryQuestion(scope) {
  let question = '';
  let asked = '';
  const source = new Source((signal) => get('api/memory/recall', { ...scope, q: asked, limit: 10, explain: true }, signal));
  const submit = (/** @type {Event} */ e) => { e.preventDefault(); asked = question.trim(); if (asked) source.again(); change(); };
  return {
    close: () => source.close(),
    view: () => [
      h('form', { class: 'tools-row', key: 'form', onsubmit: submit },
        finder('A question', question, (to) => { question = to; }, { size: 40 }),
        h('button', { class: 'primary' }, 'Find')),
      h('div', { class: 'scroll', key: 'found' }, h('div', { class: 'facts' },
        !asked && empty('Ask something: what a turn would be given is listed here, best first. Nothing is stored.'),
        asked && shown(source, (page) => (page.data.length === 0 ? empty('Nothing is near this question.') : h('ol', { class: 'quotes' }, page.data.map(hit)))))),
    ],
  };
}

/** @param {any} m */
function hit(m) {
  return h('li', { key: m.message_id }, h('p', { class: 'said' }, `“${short(m.quote, 500)}”`), where(m),
    h('details', null, h('summary', { class: 'note' }, `Score ${m.score.toFixed(3)}`),
      figures('', (m.reasons ?? []).map((/** @type {any} */ r) => figure(undefined, [r.feature, r.detail && h('span', { class: 'soft' }, `, ${r.detail}`)], r.weight.toFixed(3))))));
}

// A question to memory as it was on a day, beside the same question now. Neither is kept.
/** @typedef {{then: string, now: string, on: string, busy: boolean}} Both */

/** @param {Scope} scope */
function askPast(scope) {
  let question = '';
  let date = '';
  /** @type {Both | null} */
  let both = null;
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    if (!question.trim() || !date) return;
    /** @type {Both} */
    const mine = { then: '', now: '', on: date, busy: true };
    both = mine;
    change();
    const of = { off: true, model: '', session: scope.session_id ?? `past-${randomID()}`, key: scope.session_key };
    const label = (/** @type {string} */ text) => text.replace(/^\[recall\]/, '').trimStart();
    try {
      await ask(question, { ...of, asOf: date }, (piece) => { mine.then = label(mine.then + piece); change(); });
      await ask(question, { ...of, asOf: '' }, (piece) => { mine.now = label(mine.now + piece); change(); });
    } catch (err) { failed(err); }
    mine.busy = false;
    change();
  };
  return {
    view: () => [
      h('form', { class: 'tools-row', key: 'form', onsubmit: submit },
        finder('A question', question, (to) => { question = to; }, { type: 'text', size: 34, required: true }),
        h('label', null, 'as of', h('input', { type: 'date', required: true, value: date, onchange: (e) => { date = e.target.value; change(); } })),
        h('button', { class: 'primary', disabled: both?.busy }, 'Ask')),
      column('wide', both ? answers(both) : empty('Ask what was known on a day. The answer of then stands beside the answer of now; neither is kept.')),
    ],
  };
}

/** @param {Both} both */
function answers(both) {
  /** @param {string} title @param {string} text */
  const side = (title, text) => h('section', { class: 'stack' }, h('h2', null, title), h('p', { class: 'plain', 'aria-busy': String(both.busy) }, text || (both.busy ? 'Answering…' : 'No answer.')));
  return h('div', { class: 'side-by', title: endOf(both.on) },
    side(`As of ${day(`${both.on}T12:00:00`)}. Not kept.`, both.then), side('Now. Not kept.', both.now));
}
