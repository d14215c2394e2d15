// The place of memory: whose it is, and what is known in it.
import { part } from './api.js';
import { h } from './dom.js';
import { addFact, FactPanel, Facts, timeline } from './facts.js';
import { forget } from './forget.js';
import { Listing } from './list.js';
import { Screen } from './load.js';
import { column, finder, head, rowOf, when } from './shape.js';
import { askPast, shownToModel, tryQuestion } from './tryout.js';
import { calm } from './store.js';
import { number, plural } from './words.js';

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

  /** @param {boolean} alone */
  list(alone) {
    return [
      alone && h('h1', { class: 'list-title' }, 'Memory'),
      h('div', { class: 'finder' }, finder('Find a session or a key', this.scopes.filter.q, (q) => this.scopes.set('q', q), { type: this.id ? 'text' : 'search' })),
      this.scopes.view('Memories will be listed here. Tell something in a session, and come back.'),
    ];
  }

  panel() { return this.fact?.view(); }

  content() {
    if (!this.id) {
      return column('', h('h1', null, 'Memory'),
        h('p', { class: 'soft' }, 'Choose whose memory to look at: that of a session, or that of a session key, which several sessions share.'),
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
