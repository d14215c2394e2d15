// The place of memory: whose it is, and what is known in it.
import { get, part } from './api.js';
import { h, ready } from './dom.js';
import { on } from './events.js';
import { Facts, addFact, timeline } from './facts.js';
import { FactPanel } from './fact.js';
import { forget } from './forget.js';
import { Pages, Rows } from './list.js';
import { empty, shown, Source } from './load.js';
import { head } from './shape.js';
import { askPast, shownToModel, tryQuestion } from './tryout.js';
import { change, state } from './store.js';
import { ago, exact, number } from './words.js';

/** @typedef {{view: () => Kid, close?: () => void, again?: () => void}} Tab */

const tabs = /** @type {[string, string, (scope: Scope, m: Memory) => Tab][]} */ ([
  ['facts', 'Facts', (scope, m) => new Facts(scope, m)],
  ['timeline', 'Timeline', (scope, m) => timeline(scope, m)],
  ['shown', 'Shown to a model', (scope) => shownToModel(scope)],
  ['try', 'Try a question', (scope) => tryQuestion(scope)],
  ['past', 'Ask the past', (scope) => askPast(scope)],
]);

export class Memory {
  constructor() {
    this.kind = this.id = this.at = '';
    /** @type {Tab | null} */
    this.tab = null;
    /** @type {FactPanel | null} */
    this.fact = null;
    this.q = '';
    this.anew = true;
    this.pages = new Pages((cursor, signal) => get('api/memory/scopes', { q: this.q, limit: 100, cursor }, signal), scopeKey);
    this.rows = new Rows({ height: 58, key: scopeKey, row: (s) => this.row(s), more: async () => { if (await this.pages.next().catch(() => false)) this.show(); } });
    this.scopes = new Source(async (signal) => {
      const page = await this.pages.first(signal, this.anew);
      this.anew = false;
      return page;
    });
    this.stops = [on('memory', () => this.later()), on('reset', () => this.later())];
    this.readScopes();
  }

  close() {
    for (const stop of this.stops) stop();
    clearTimeout(this.timer);
    this.scopes.close();
    this.tab?.close?.();
    this.fact?.close();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.readScopes(); this.tab?.again?.(); this.fact?.again(); }, 200);
  }

  async readScopes() {
    await this.scopes.again();
    this.show();
  }

  show() {
    this.rows.set(this.pages.items, this.pages.whole);
    change();
  }

  /** @returns {Scope} */
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

  /** openFact opens the panel of a fact. @param {string} id */
  openFact(id) { location.hash = `${this.base}/${this.at}?fact=${part(id)}`; }

  closePanel() { location.hash = `${this.base}/${this.at}`; }

  /** changed reads again what shows facts. */
  changed() {
    this.tab?.again?.();
    this.fact?.again();
  }

  /** @param {any} s */
  row(s) {
    const [kind, id] = s.session_key ? ['key', s.session_key] : ['session', s._lineage_root_id];
    return h('a', { class: 'row session', href: `#/memory/${kind}/${part(id)}`, 'aria-current': this.kind === kind && this.id === id ? 'true' : undefined },
      h('span', { class: 'title' }, s.title ?? id),
      h('time', { class: 'side', datetime: s.last_said_at, title: exact(s.last_said_at) }, ago(s.last_said_at)),
      h('span', { class: 'id' }, s.session_key ? `session key, ${number(s.sessions)} ${s.sessions === 1 ? 'session' : 'sessions'}` : h('span', { class: 'mono' }, id)),
      h('span', { class: 'side' }, number(s.facts)));
  }

  /** @param {boolean} alone */
  list(alone) {
    this.rows.draw();
    const find = (/** @type {any} */ e) => {
      this.q = e.target.value;
      this.anew = true;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => { this.rows.top(); this.readScopes(); }, 120);
      change();
    };
    return [
      alone && h('h1', { class: 'list-title' }, 'Memory'),
      h('div', { class: 'finder' }, h('input', { type: this.id ? 'text' : 'search', placeholder: 'Find a session or a key', 'aria-label': 'Find a session or a key', value: this.q, oninput: find })),
      shown(this.scopes, () => null),
      this.scopes.data && this.pages.items.length === 0 && empty(this.q ? 'Nothing matches.' : 'Memories will be listed here. Tell something in a session, and come back.'),
      ready(this.rows.el),
    ];
  }

  content() {
    if (!this.id) {
      return h('div', { class: 'scroll' }, h('div', { class: 'column start' }, h('h1', null, 'Memory'),
        h('p', { class: 'soft' }, 'Choose whose memory to look at: that of a session, or that of a session key, which several sessions share.'),
        h('div', { class: 'buttons' }, h('button', { onclick: () => forget({}) }, 'Forget…'))));
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

export function open() {
  const memory = new Memory();
  return {
    title: () => (memory.id ? `What is known · ${memory.id}` : 'Memory'),
    listing: () => state.route.path.length === 0,
    list: (/** @type {boolean} */ alone) => memory.list(alone),
    content: () => memory.content(),
    panel: () => memory.fact?.view(),
    closePanel: () => memory.closePanel(),
    keys: { e: () => memory.fact?.edit() },
    go: (/** @type {Route} */ route) => memory.go(route),
    close: () => memory.close(),
  };
}
