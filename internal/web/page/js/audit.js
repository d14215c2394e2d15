// Who did what, and whether the list of it is whole.
import { get } from './api.js';
import { failed } from './dialog.js';
import { h } from './dom.js';
import { empty, shown, Source } from './load.js';
import { copied } from './nodes.js';
import { change } from './store.js';
import { ago, exact, number, plural } from './words.js';

class Audit {
  constructor() {
    /** @type {Record<string, string>} */
    this.filter = { action: '', actor: '', session_id: '', since: '', until: '' };
    /** @type {any[]} */
    this.extra = [];
    /** @type {string | null} */
    this.cursor = null;
    /** @type {any} */
    this.verdict = null;
    this.source = new Source(async (signal) => {
      const page = await get('api/audit', this.query(), signal);
      this.extra = [];
      this.cursor = page.next_cursor;
      return page;
    });
    this.source.again();
  }

  close() { this.source.close(); }

  query() {
    const f = this.filter;
    return { ...f, since: f.since && new Date(`${f.since}T00:00:00`).toISOString(), until: f.until && new Date(`${f.until}T23:59:59`).toISOString(), limit: 100 };
  }

  async more() {
    try {
      const page = await get('api/audit', { ...this.query(), cursor: this.cursor });
      this.extra = [...this.extra, ...page.data];
      this.cursor = page.next_cursor;
      change();
    } catch (err) { failed(err); }
  }

  async verify() {
    try {
      this.verdict = await get('api/audit/verify');
      change();
    } catch (err) { failed(err); }
  }

  view() {
    /** @param {string} name @param {string} label @param {string} [type] */
    const field = (name, label, type = 'text') => h('label', null, label, h('input', { type, size: 12, value: this.filter[name], onchange: (e) => { this.filter = { ...this.filter, [name]: e.target.value.trim() }; this.source.again(); } }));
    return [
      h('header', { class: 'head' }, h('h1', null, 'Audit'), h('button', { onclick: () => this.verify() }, 'Verify')),
      h('div', { class: 'tools-row' }, field('action', 'action'), field('actor', 'by'), field('session_id', 'session'), field('since', 'from', 'date'), field('until', 'to', 'date')),
      h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: 'column wide' }, this.verdict && verdict(this.verdict), shown(this.source, (page) => [
        page.data.length === 0 ? empty('Nothing of this kind was done. Deletions, keys and changes of memory will be listed here; what was said is not.') : table([...page.data, ...this.extra]),
        this.cursor && h('div', null, h('button', { onclick: () => this.more() }, 'More')),
      ]))),
    ];
  }
}

/** @param {any} v */
function verdict(v) {
  return h('div', { role: 'status', class: 'stack' },
    h('p', { class: v.intact ? 'now' : 'bad' }, v.intact ? `Whole: ${plural(v.entries, 'entry', 'entries')}, each linked to the one before.` : `Broken at entry ${number(v.broken_at)}: it was changed, or entries before it were taken out.`),
    h('p', null, 'Note down the last hash elsewhere; it shows later whether the end was cut off. ', h('span', { class: 'mono' }, v.last_hash), ' ', h('button', { class: 'small', onclick: copied(v.last_hash) }, 'Copy')));
}

/** @param {any[]} rows */
function table(rows) {
  return h('div', { class: 'across', tabindex: 0, role: 'group', 'aria-label': 'Entries' }, h('table', { class: 'grid' },
    h('thead', null, h('tr', null, ['No.', 'When', 'By', 'What', 'On', 'Outcome'].map((t) => h('th', { scope: 'col' }, t)))),
    h('tbody', null, rows.map((e) => h('tr', { key: e.seq }, h('td', null, number(e.seq)), h('td', { title: exact(e.at) }, ago(e.at)), h('td', null, e.actor),
      h('td', null, e.action, e.detail && h('p', { class: 'note' }, e.detail)), h('td', { class: 'mono' }, e.target ? `${e.target_kind ?? ''} ${e.target.slice(0, 20)}` : ''),
      h('td', { class: e.outcome === 'ok' ? undefined : 'bad', title: e.request_id ? `request ${e.request_id}` : undefined }, e.outcome))))));
}

export function open() {
  const audit = new Audit();
  return { title: () => 'Audit', go: () => {}, content: () => audit.view(), close: () => audit.close() };
}
