// The places of whoever looks after the server: its keys, who did what, and how it is.
// First the keys: who may use this server, for what, and how much.
import { get, part, patch, post, remove } from './api.js';
import { ask, dialog, once, toast } from './dialog.js';
import { h } from './dom.js';
import { on } from './events.js';
import { secret } from './jobs.js';
import { more, Pages } from './list.js';
import { empty, shown, Source, trouble } from './load.js';
import { copied } from './nodes.js';
import { grid, head, pairs } from './shape.js';
import { change } from './store.js';
import { ago, bytes, day, exact, number, plural } from './words.js';

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
    const problem = { is: /** @type {any} */ (null) };
    const made = await dialog('New key', (close) => keyForm(close, problem));
    if (!made) return;
    this.keys.again();
    await secret(`The key ${made.name}`, made.key, 'Whoever has it can do what it is for.');
  }

  /** @param {any} k */
  async limits(k) {
    const out = await dialog(`Limits of ${k.name}`, (close) => limitForm(k, close));
    if (!out) return;
    await patch(`api/keys/${part(k.id)}`, out);
    this.keys.again();
    toast('The limits are changed.', () => patch(`api/keys/${part(k.id)}`, { requests_per_minute: k.requests_per_minute, concurrent_turns: k.concurrent_turns }).then(() => this.keys.again()));
  }

  /** @param {any} k */
  async revoke(k) {
    if (!(await ask({ title: 'Revoke this key?', word: k.name, action: 'Revoke the key', text: 'Whoever uses it is shut out at once. This cannot be undone.' }))) return;
    await remove(`api/keys/${part(k.id)}`);
    this.keys.again();
    toast('The key is revoked.');
  }

  /** @param {any} t */
  async signOut(t) {
    await remove(`api/page/token/${part(t.id)}`);
    this.tokens.again();
    toast('Signed out there.');
  }

  view() {
    const flip = (/** @type {any} */ e) => { this.revoked = e.target.checked; change(); };
    return [
      head('', 'Keys', h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: this.revoked, onchange: flip }), 'also revoked ones'), h('button', { onclick: once(() => this.make()) }, 'New key…')),
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
    return grid('Keys', ['Name', 'Owner', 'For', 'Requests a minute', 'Turns at once', 'Made', h('span', { class: 'unseen' }, 'Actions')],
      rows.map((k) => h('tr', { key: k.id },
        h('td', null, h('strong', null, k.name), k.session_key && h('p', { class: 'note' }, `memory ${k.session_key}`)), h('td', null, k.owner), h('td', null, k.scopes.join(', ')),
        h('td', null, limit(k.limits.requests_per_minute)), h('td', null, limit(k.limits.concurrent_turns)),
        h('td', { title: exact(k.created_at) }, day(k.created_at), k.revoked_at && h('p', { class: 'bad' }, `revoked ${day(k.revoked_at)}`)),
        h('td', null, !k.revoked_at && h('div', { class: 'buttons' }, h('button', { onclick: once(() => this.limits(k)), 'aria-label': `Limits of ${k.name}` }, 'Limits…'), h('button', { onclick: once(() => this.revoke(k)), 'aria-label': `Revoke ${k.name}` }, 'Revoke…'))))));
  }

  /** @param {any[]} rows */
  signedIn(rows) {
    return [h('h2', null, 'Where this key is signed in'), h('ul', { class: 'quotes' }, rows.map((t) => h('li', { key: t.id },
      h('p', null, t.current ? h('strong', null, 'Here') : `Signed in ${ago(t.created_at)}`, `, last used ${ago(t.last_used_at)}, until ${day(t.expires_at)} at the latest `,
        !t.current && h('button', { class: 'link', onclick: once(() => this.signOut(t)) }, 'Sign out there')))))];
  }
}

/** @param {number | null} n */
const limit = (n) => (n === null || n === undefined ? 'no limit' : number(n));

/** @param {(v: any) => void} close @param {{is: any}} problem */
function keyForm(close, problem) {
  const submit = once(async (e) => {
    const f = e.currentTarget.elements;
    const chosen = scopes.map(([s]) => s).filter((s) => f[s].checked);
    try {
      close(await post('api/keys', { name: f.name.value.trim(), ...(f.owner.value.trim() && { owner: f.owner.value.trim() }), ...(f.memory.value.trim() && { session_key: f.memory.value.trim() }), scopes: chosen }));
    } catch (err) { problem.is = err; change(); }
  });
  return h('form', { class: 'form', onsubmit: submit },
    h('label', null, 'Name', h('input', { name: 'name', required: true, autocomplete: 'off' })), h('label', null, 'Owner; without one, whose data this server has now', h('input', { name: 'owner', autocomplete: 'off' })),
    h('label', null, 'Session key of requests that name none', h('input', { name: 'memory', autocomplete: 'off' })),
    h('fieldset', null, h('legend', null, 'For'), scopes.map(([s, text]) => h('label', { class: 'check' }, h('input', { type: 'checkbox', name: s, ref: (el) => { el.checked = !['admin', 'metrics'].includes(s); } }), text))),
    problem.is && trouble(problem.is, null),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'), h('button', { class: 'primary' }, 'Make the key')));
}

/** @param {any} k @param {(v: any) => void} close */
function limitForm(k, close) {
  const value = (/** @type {any} */ el) => (el.value === '' ? null : Number(el.value));
  return h('form', { class: 'form', onsubmit: (e) => { e.preventDefault(); const f = e.currentTarget.elements; close({ requests_per_minute: value(f.requests), concurrent_turns: value(f.turns) }); } },
    [['requests', 'Requests a minute', k.requests_per_minute], ['turns', 'Turns at once', k.concurrent_turns]].map(([name, label, n]) => h('label', null, `${label}; empty for the server’s default`, h('input', { name, type: 'number', min: 0, ref: (el) => { el.value = n ?? ''; } }))),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'), h('button', { class: 'primary' }, 'Change the limits')));
}

export function openKeys() {
  const keyring = new Keyring();
  return { title: () => 'Keys', go: () => {}, content: () => keyring.view(), close: () => keyring.close() };
}

// Who did what, and whether the list of it is whole.
class Audit {
  constructor() {
    /** @type {Record<string, string>} */
    this.filter = { action: '', actor: '', session_id: '', since: '', until: '' };
    /** @type {any} */
    this.verdict = null;
    this.pages = new Pages((cursor, signal) => get('api/audit', { ...this.query(), cursor }, signal), (e) => e.seq);
    this.source = new Source((signal) => this.pages.first(signal, true));
    this.source.again();
  }

  close() { this.source.close(); }

  query() {
    const f = this.filter;
    return { ...f, since: f.since && new Date(`${f.since}T00:00:00`).toISOString(), until: f.until && new Date(`${f.until}T23:59:59`).toISOString(), limit: 100 };
  }

  async verify() {
    this.verdict = await get('api/audit/verify');
    change();
  }

  view() {
    /** @param {string} name @param {string} label @param {string} [type] */
    const field = (name, label, type = 'text') => h('label', null, label, h('input', { type, size: 12, value: this.filter[name], onchange: (e) => { this.filter = { ...this.filter, [name]: e.target.value.trim() }; this.source.again(); } }));
    return [
      head('', 'Audit', h('button', { onclick: once(() => this.verify()) }, 'Verify')),
      h('div', { class: 'tools-row' }, field('action', 'action'), field('actor', 'by'), field('session_id', 'session'), field('since', 'from', 'date'), field('until', 'to', 'date')),
      h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: 'column wide' }, this.verdict && verdict(this.verdict), shown(this.source, () => [
        this.pages.items.length === 0 ? empty('Nothing of this kind was done. Deletions, keys and changes of memory will be listed here; what was said is not.') : entries(this.pages.items),
        more(this.pages),
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
function entries(rows) {
  return grid('Entries', ['No.', 'When', 'By', 'What', 'On', 'Outcome'], rows.map((e) => h('tr', { key: e.seq }, h('td', null, number(e.seq)), h('td', { title: exact(e.at) }, ago(e.at)), h('td', null, e.actor),
      h('td', null, e.action, e.detail && h('p', { class: 'note' }, e.detail)), h('td', { class: 'mono' }, e.target ? `${e.target_kind ?? ''} ${e.target.slice(0, 20)}` : ''),
      h('td', { class: e.outcome === 'ok' ? undefined : 'bad', title: e.request_id ? `request ${e.request_id}` : undefined }, e.outcome))));
}

export function openAudit() {
  const audit = new Audit();
  return { title: () => 'Audit', go: () => {}, content: () => audit.view(), close: () => audit.close() };
}

// How the server is: what a check finds, worst first, and what to do.
const order = ['failed', 'warning', 'ok'];
const says = /** @type {Record<string, string>} */ ({ failed: 'Failed', warning: 'Look at this', ok: 'Fine' });
const tones = /** @type {Record<string, string>} */ ({ failed: 'bad', warning: 'warn', ok: 'now' });

class Health {
  constructor() {
    this.deep = false;
    this.doctor = new Source((signal) => get('api/doctor', { deep: this.deep || '' }, signal));
    this.detail = new Source((signal) => get('health/detailed', {}, signal));
    this.work = new Source((signal) => get('api/work', { limit: 50 }, signal));
    this.stops = [on('work', () => this.work.again())];
    for (const s of [this.doctor, this.detail, this.work]) s.again();
  }

  close() {
    for (const stop of this.stops) stop();
    for (const s of [this.doctor, this.detail, this.work]) s.close();
  }

  view() {
    const check = (/** @type {boolean} */ deep) => () => { this.deep = deep; this.doctor.again(); this.detail.again(); change(); };
    return [
      head('', 'Health', h('button', { onclick: check(false), disabled: this.doctor.busy }, 'Check again'), h('button', { onclick: check(true), disabled: this.doctor.busy }, this.doctor.busy && this.deep ? 'Reading everything…' : 'Deep check')),
      h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: 'column wide' }, shown(this.doctor, findings), shown(this.detail, detail), shown(this.work, work))),
    ];
  }
}

/** @param {any} d */
function findings(d) {
  const rows = [...d.findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return h('ul', { class: 'quotes' }, rows.map((f) => h('li', { key: f.about + f.says }, h('p', null, h('strong', { class: tones[f.level] }, `${says[f.level] ?? f.level}: `), `${f.about}. `, f.says), f.do && h('p', { class: 'note' }, `What to do: ${f.do}`))));
}

/** @param {any} d */
function detail(d) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['version', d.version], ['running since', exact(d.started_at)], ['answers', d.responder?.kind ? `${d.responder.kind}${d.responder.model ? `, ${d.responder.model}` : ''}` : ''],
    ['upstream', [d.upstream.url ?? d.upstream.kind, d.upstream.error].filter(Boolean).join(': ')],
    ['database', `${d.data.file}, ${bytes(d.data.bytes)}, checked ${d.data.checked === 'deep' ? 'deeply' : 'quickly'}`],
    ['damage', d.data.damage.length > 0 && h('span', { class: 'bad' }, d.data.damage.join('; '))],
    ['disk', d.data.disk && `${bytes(d.data.disk.free)} of ${bytes(d.data.disk.total)} free${d.data.disk.low ? ': nothing more is stored' : ''}`],
    ['text index', d.data.index.waiting > 0 ? `${number(d.data.index.waiting)} messages wait for it` : 'complete'],
    ['chat platforms', (d.platforms ?? []).map((/** @type {any} */ p) => `${p.platform}: ${p.state}${p.reason ? `, ${p.reason}` : ''}`).join('; ')],
    ['keys', `${number(d.keys.valid)}${d.keys.development ? '; the development key is accepted on this machine' : ''}`],
  ]);
  return [h('h2', null, 'The server'), pairs(rows)];
}

/** @param {any} w */
function work(w) {
  return [h('h2', null, 'Work behind the turns'), w.data.length === 0 ? empty('Nothing waits.') : h('ul', { class: 'quotes' }, w.data.map((/** @type {any} */ t) => h('li', { key: t.kind + t.session_id },
    h('p', null, `${t.kind} of `, h('a', { href: `#/sessions/${part(t.session_id)}` }, t.session_id), `: ${t.status}${t.attempts > 1 ? `, ${number(t.attempts)} attempts` : ''}${t.next_attempt_at ? `, next ${ago(t.next_attempt_at)}` : ''}`), t.error && h('p', { class: 'note bad' }, t.error))))];
}

export function openHealth() {
  const health = new Health();
  return { title: () => 'Health', go: () => {}, content: () => health.view(), close: () => health.close() };
}
