// The place of sessions: their list, and the transcript of one.
import { get, part } from './api.js';
import { Chat } from './chat.js';
import { h } from './dom.js';
import { Listing } from './list.js';
import { choice, field, finder, intro, rowOf, Screen, when } from './screen.js';
import { change } from './store.js';
import { number } from './words.js';

/** @param {any} s */
const rootOf = (s) => s._lineage_root_id;

class Sessions extends Screen {
  constructor() {
    super('Sessions');
    this.filtering = false;
    this.chat = new Chat();
    /** @type {Map<string, string>} what is under way, by session */
    this.running = new Map();
    this.found = new Listing('api/sessions', rootOf, (s) => this.row(s));
    this.keys = { w: () => this.chat.why(), e: () => this.chat.rename() };
    this.on(['session', 'reset'], (e) => this.changed(e));
    this.on(['reset', 'run', 'approval'], () => this.readRunning());
    this.readRunning();
  }

  close() {
    super.close();
    this.found.close();
    this.chat.close();
  }

  /** @param {Route} route */
  go(route) { this.chat.go(route); }

  title() { return this.listing() ? this.name : this.chat.title(); }

  /** @param {any} event */
  changed(event) {
    const { pages } = this.found;
    if (event.what === 'deleted') pages.items = pages.items.filter((s) => rootOf(s) !== event.id);
    this.found.soon();
  }

  async readRunning() {
    const page = await get('v1/runs', { status: 'open', limit: 100 }).catch(() => null);
    if (!page) return;
    this.running = new Map(page.data.map((/** @type {any} */ r) => [r.lineage_root_id ?? r.session_id, r.status === 'waiting_for_approval' ? 'waits for you' : 'answering']));
    this.found.rows.draw();
  }

  /** @param {any} s */
  row(s) {
    const root = rootOf(s);
    const word = this.running.get(root) ?? (s.ended_at ? 'ended' : '');
    return rowOf({
      href: `#/sessions/${part(root)}`, current: root === this.chat.root, title: s.title ?? s.preview ?? 'No messages yet', side: when(s.last_active),
      id: h('span', { class: 'mono' }, s.session_key ?? root),
      more: [word && h('span', { class: word === 'answering' ? 'now' : word === 'ended' ? 'soft' : 'warn' }, word, ' '), number(s.lineage_message_count)],
    });
  }

  list() {
    return [
      h('div', { class: 'finder' },
        finder('Find a session', this.found.filter.q, (q) => this.found.set('q', q)),
        h('button', { class: 'link', onclick: () => { this.filtering = !this.filtering; change(); }, 'aria-expanded': String(this.filtering) }, 'Filter'),
        h('a', { class: 'button', href: '#/sessions/new' }, 'New')),
      this.filtering && this.filters(),
      this.found.view('Conversations will be listed here. Say something to begin the first one, or point a client at this server.'),
    ];
  }

  filters() {
    const { filter } = this.found;
    /** @param {string} name @param {string} label */
    const text = (name, label) => field(label, { value: filter[name], onchange: (/** @type {any} */ e) => this.found.set(name, e.target.value.trim()) });
    return h('div', { class: 'filters' },
      h('label', null, 'State', choice([['', 'all'], ['active', 'active'], ['ended', 'ended']], filter.state ?? '', (to) => this.found.set('state', to))),
      text('source', 'Source'), text('session_key', 'Key'));
  }

  content() {
    if (!this.listing()) return this.chat.view();
    return intro(this.name, 'Choose a session to read it and to talk on, or begin a new one.',
      h('p', null, h('a', { class: 'button primary', href: '#/sessions/new' }, 'New session')));
  }

  panel() { return this.chat.panel(); }

  closePanel() { this.chat.closePanel(); }
}

export const open = () => new Sessions();
