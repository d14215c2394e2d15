// Keys: who may use this server, for what, and how much.
import { get, part, patch, post, remove } from './api.js';
import { ask, dialog, failed, toast } from './dialog.js';
import { h } from './dom.js';
import { on } from './events.js';
import { secret } from './jobform.js';
import { empty, shown, Source, trouble } from './load.js';
import { change } from './store.js';
import { ago, day, exact, number } from './words.js';

/** scopes are what a key may be for. */
export const scopes = /** @type {[string, string][]} */ ([
  ['chat', 'talk, and runs'], ['sessions:read', 'read sessions'], ['sessions:write', 'change sessions'], ['memory', 'memory'],
  ['jobs', 'jobs'], ['export', 'export'], ['metrics', 'metrics of the whole server'], ['admin', 'keys, audit, health'],
]);

class Keyring {
  constructor() {
    this.keys = new Source((signal) => get('api/keys', {}, signal));
    this.tokens = new Source((signal) => get('api/page/token', {}, signal).catch(() => ({ data: [] })));
    this.revoked = false;
    this.stops = [on('key', () => this.keys.again()), on('reset', () => this.keys.again())];
    this.keys.again();
    this.tokens.again();
  }

  close() {
    for (const stop of this.stops) stop();
    this.keys.close();
    this.tokens.close();
  }

  async make() {
    const made = await dialog('New key', (close) => keyForm(close), {});
    if (!made) return;
    this.keys.again();
    await secret(`The key ${made.name}`, made.key, 'Whoever has it can do what it is for.');
  }

  /** @param {any} k */
  async limits(k) {
    const out = await dialog(`Limits of ${k.name}`, (close) => limitForm(k, close));
    if (!out) return;
    try {
      await patch(`api/keys/${part(k.id)}`, out);
      this.keys.again();
      toast('The limits are changed.', () => patch(`api/keys/${part(k.id)}`, { requests_per_minute: k.requests_per_minute, concurrent_turns: k.concurrent_turns }).then(() => this.keys.again(), failed));
    } catch (err) { failed(err); }
  }

  /** @param {any} k */
  async revoke(k) {
    if (!(await ask({ title: 'Revoke this key?', word: k.name, action: 'Revoke the key', text: 'Whoever uses it is shut out at once. This cannot be undone.' }))) return;
    try {
      await remove(`api/keys/${part(k.id)}`);
      this.keys.again();
      toast('The key is revoked.');
    } catch (err) { failed(err); }
  }

  /** @param {any} t */
  async signOut(t) {
    try {
      await remove(`api/page/token/${part(t.id)}`);
      this.tokens.again();
      toast('Signed out there.');
    } catch (err) { failed(err); }
  }

  view() {
    const flip = (/** @type {any} */ e) => { this.revoked = e.target.checked; change(); };
    return [
      h('header', { class: 'head' }, h('h1', null, 'Keys'), h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: this.revoked, onchange: flip }), 'also revoked ones'), h('button', { onclick: () => this.make() }, 'New key…')),
      h('div', { class: 'scroll' }, h('div', { class: 'column wide' },
        shown(this.keys, ({ data }) => {
          const rows = data.filter((/** @type {any} */ k) => this.revoked || !k.revoked_at);
          return rows.length === 0 ? empty('Keys will be listed here. Without one, only this machine has access, with the development key.') : this.table(rows);
        }),
        shown(this.tokens, ({ data }) => data.length > 0 && this.signedIn(data)))),
    ];
  }

  /** @param {any[]} rows */
  table(rows) {
    return h('div', { class: 'across', tabindex: 0, role: 'group', 'aria-label': 'Keys' }, h('table', { class: 'grid' },
      h('thead', null, h('tr', null, ['Name', 'Owner', 'For', 'Requests a minute', 'Turns at once', 'Made', ''].map((t) => h('th', { scope: 'col' }, t || h('span', { class: 'unseen' }, 'Actions'))))),
      h('tbody', null, rows.map((k) => h('tr', { key: k.id },
        h('td', null, h('strong', null, k.name), k.session_key && h('p', { class: 'note' }, `memory ${k.session_key}`)), h('td', null, k.owner), h('td', null, k.scopes.join(', ')),
        h('td', null, limit(k.limits.requests_per_minute)), h('td', null, limit(k.limits.concurrent_turns)),
        h('td', { title: exact(k.created_at) }, day(k.created_at), k.revoked_at && h('p', { class: 'bad' }, `revoked ${day(k.revoked_at)}`)),
        h('td', null, !k.revoked_at && h('div', { class: 'buttons' }, h('button', { onclick: () => this.limits(k), 'aria-label': `Limits of ${k.name}` }, 'Limits…'), h('button', { onclick: () => this.revoke(k), 'aria-label': `Revoke ${k.name}` }, 'Revoke…'))))))));
  }

  /** @param {any[]} rows */
  signedIn(rows) {
    return [h('h2', null, 'Where this key is signed in'), h('ul', { class: 'quotes' }, rows.map((t) => h('li', { key: t.id },
      h('p', null, t.current ? h('strong', null, 'Here') : `Signed in ${ago(t.created_at)}`, `, last used ${ago(t.last_used_at)}, until ${day(t.expires_at)} at the latest `,
        !t.current && h('button', { class: 'link', onclick: () => this.signOut(t) }, 'Sign out there')))))];
  }
}

/** @param {number | null} n */
const limit = (n) => (n === null || n === undefined ? 'no limit' : number(n));

/** @param {(v: any) => void} close */
function keyForm(close) {
  const problem = formProblem;
  const submit = async (/** @type {any} */ e) => {
    e.preventDefault();
    const f = e.currentTarget.elements;
    const chosen = scopes.map(([s]) => s).filter((s) => f[s].checked);
    try {
      close(await post('api/keys', { name: f.name.value.trim(), ...(f.owner.value.trim() && { owner: f.owner.value.trim() }), ...(f.memory.value.trim() && { session_key: f.memory.value.trim() }), scopes: chosen }));
      problem.is = null;
    } catch (err) { problem.is = err; change(); }
  };
  return h('form', { class: 'form', onsubmit: submit },
    h('label', null, 'Name', h('input', { name: 'name', required: true, autocomplete: 'off' })), h('label', null, 'Owner; without one, whose data this server has now', h('input', { name: 'owner', autocomplete: 'off' })),
    h('label', null, 'Session key of requests that name none', h('input', { name: 'memory', autocomplete: 'off' })),
    h('fieldset', null, h('legend', null, 'For'), scopes.map(([s, text]) => h('label', { class: 'check' }, h('input', { type: 'checkbox', name: s, ref: (el) => { el.checked = !['admin', 'metrics'].includes(s); } }), text))),
    problem.is && trouble(/** @type {any} */ (problem.is), null),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'), h('button', { class: 'primary' }, 'Make the key')));
}

const formProblem = { is: /** @type {any} */ (null) };

/** @param {any} k @param {(v: any) => void} close */
function limitForm(k, close) {
  const value = (/** @type {any} */ el) => (el.value === '' ? null : Number(el.value));
  return h('form', { class: 'form', onsubmit: (e) => { e.preventDefault(); const f = e.currentTarget.elements; close({ requests_per_minute: value(f.requests), concurrent_turns: value(f.turns) }); } },
    [['requests', 'Requests a minute', k.requests_per_minute], ['turns', 'Turns at once', k.concurrent_turns]].map(([name, label, n]) => h('label', null, `${label}; empty for the server’s default`, h('input', { name, type: 'number', min: 0, ref: (el) => { el.value = n ?? ''; } }))),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'), h('button', { class: 'primary' }, 'Change the limits')));
}

export function open() {
  const keyring = new Keyring();
  return { title: () => 'Keys', go: () => {}, content: () => keyring.view(), close: () => keyring.close() };
}
