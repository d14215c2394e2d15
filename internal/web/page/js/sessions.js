// The place of sessions: their list, and the transcript of one.
import { get, part } from './api.js';
import { h, ready } from './dom.js';
import { on } from './events.js';
import { Pages, Rows } from './list.js';
import { empty, shown, Source } from './load.js';
import { Chat } from './chat.js';
import { change, state } from './store.js';
import { ago, exact, number } from './words.js';

/** SessionList is the list of sessions, and what is looked for in it. */
export class SessionList {
  /** @param {(s: any) => string} address @param {(s: any) => boolean} current */
  constructor(address, current) {
    this.filter = { q: '', state: '', source: '', session_key: '' };
    this.open = false;
    this.address = address;
    this.current = current;
    /** @type {Map<string, string>} */
    this.running = new Map();
    this.anew = true;
    this.pages = new Pages((cursor, signal) => get('api/sessions', { ...this.filter, limit: 100, cursor }, signal), (s) => s._lineage_root_id);
    this.rows = new Rows({ height: 58, key: (s) => s._lineage_root_id, row: (s) => this.row(s), more: () => this.more() });
    this.source = new Source(async (signal) => {
      const page = await this.pages.first(signal, this.anew);
      this.anew = false;
      return page;
    });
    this.stops = ['session', 'reset', 'run', 'approval'].map((type) => on(type, (e) => this.changed(type, e)));
    this.read();
    this.readRunning();
  }

  close() { for (const stop of this.stops) stop(); }

  async read() {
    await this.source.again();
    this.show();
  }

  show() {
    this.rows.set(this.pages.items, this.pages.whole);
    change();
  }

  async more() {
    try {
      if (await this.pages.next()) this.show();
    } catch { /* scrolling further asks again */ }
  }

  /** @param {string} type @param {any} event */
  changed(type, event) {
    if (type === 'run' || type === 'approval') { this.readRunning(); return; }
    if (type === 'session' && event.what === 'deleted') this.pages.items = this.pages.items.filter((s) => s._lineage_root_id !== event.id);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), 150);
  }

  async readRunning() {
    const page = await get('v1/runs', { status: 'open', limit: 100 }).catch(() => null);
    if (!page) return;
    this.running = new Map(page.data.map((/** @type {any} */ r) => [r.lineage_root_id ?? r.session_id, r.status === 'waiting_for_approval' ? 'waits for you' : 'answering']));
    this.rows.draw();
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    this.filter = { ...this.filter, [name]: value };
    this.anew = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.rows.top(); this.read(); }, 120);
    change();
  }

  /** @param {any} s */
  row(s) {
    const root = s._lineage_root_id;
    const word = this.running.get(root) ?? (s.ended_at ? 'ended' : '');
    return h('a', { class: 'row session', href: this.address(s), 'aria-current': this.current(s) ? 'true' : undefined },
      h('span', { class: 'title' }, s.title ?? s.preview ?? 'No messages yet'),
      h('time', { class: 'side', datetime: s.last_active, title: exact(s.last_active) }, ago(s.last_active)),
      h('span', { class: 'mono id' }, s.session_key ?? root),
      h('span', { class: 'side' }, word && h('span', { class: word === 'answering' ? 'now' : word === 'ended' ? 'soft' : 'warn' }, word, ' '), number(s.lineage_message_count)));
  }

  /** view is the list with its field. @param {boolean} alone */
  view(alone) {
    const f = this.filter;
    const none = this.source.data && this.pages.items.length === 0;
    const looking = Object.values(f).some(Boolean);
    this.rows.draw();
    return [
      alone && h('h1', { class: 'list-title' }, 'Sessions'),
      h('div', { class: 'finder' },
        h('input', { type: 'search', placeholder: 'Find a session', 'aria-label': 'Find a session', value: f.q, oninput: (e) => this.set('q', e.target.value) }),
        h('button', { class: 'link', onclick: () => { this.open = !this.open; change(); }, 'aria-expanded': String(this.open) }, 'Filter'),
        h('a', { class: 'button', href: '#/sessions/new' }, 'New')),
      this.open && this.filters(),
      shown(this.source, () => null),
      none && (looking ? empty('No session matches.') : empty('Conversations will be listed here. Say something to begin the first one, or point a client at this server.')),
      ready(this.rows.el),
    ];
  }

  filters() {
    const f = this.filter;
    /** @param {string} name @param {string} label */
    const field = (name, label) => h('label', null, label, h('input', { value: f[/** @type {'source'} */ (name)], onchange: (e) => this.set(name, e.target.value.trim()) }));
    return h('div', { class: 'filters' },
      h('label', null, 'State', h('select', { onchange: (e) => this.set('state', e.target.value) },
        [['', 'all'], ['active', 'active'], ['ended', 'ended']].map(([v, text]) => h('option', { value: v, selected: v === f.state }, text)))),
      field('source', 'Source'), field('session_key', 'Key'));
  }
}

/** @param {string} root */
export const sessionAddress = (root) => `#/sessions/${part(root)}`;

export function open() {
  const chat = new Chat();
  const list = new SessionList((s) => sessionAddress(s._lineage_root_id), (s) => s._lineage_root_id === chat.root);
  return {
    title: () => (state.route.path.length ? chat.title() : 'Sessions'),
    listing: () => state.route.path.length === 0,
    list: (/** @type {boolean} */ alone) => list.view(alone),
    content: () => (state.route.path.length ? chat.view() : h('div', { class: 'scroll' }, h('div', { class: 'column start' },
      h('h1', null, 'Sessions'),
      h('p', { class: 'soft' }, 'Choose a session to read it and to talk on, or begin a new one.'),
      h('p', null, h('a', { class: 'button primary', href: '#/sessions/new' }, 'New session'))))),
    panel: () => chat.panel(),
    closePanel: () => chat.closePanel(),
    keys: { w: () => chat.why(), e: () => chat.rename() },
    go: (/** @type {Route} */ route) => chat.go(route),
    close: () => { list.close(); chat.close(); },
  };
}
