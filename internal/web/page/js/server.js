// The places of whoever looks after the server: its keys, who did what, how it is, and how it is
// set. First the keys: who may use this server, for what, and how much.
import { get, part, patch, post, problemOf, remove } from './api.js';
import { ask, dialog, once, toast } from './dialog.js';
import { h } from './dom.js';
import { secret } from './jobs.js';
import { more, Pages } from './list.js';
import { cells, check, column, decision, empty, field, grid, head, pairs, quotes, Screen, shown, trouble } from './screen.js';
import { copied } from './nodes.js';
import { can, change, kept, state } from './store.js';
import { ago, bytes, day, endOf, exact, number, plural, startOf } from './words.js';

export const scopes = [
  ['chat', 'talk, and runs'], ['sessions:read', 'read sessions'], ['sessions:write', 'change sessions'], ['memory', 'memory'],
  ['jobs', 'jobs'], ['export', 'export'], ['metrics', 'metrics of the whole server'], ['admin', 'keys, audit, health'],
];

export class Keyring extends Screen {
  constructor() {
    super('Keys');
    this.keys = this.reads((signal) => get('api/keys', {}, signal));
    this.tokens = this.reads((signal) => get('api/page/token', {}, signal).catch(() => ({ data: [] })));
    this.revoked = false;
    this.on(['key', 'reset'], () => this.keys.again());
    this.keys.again();
    this.tokens.again();
  }

  async make() {
    const problem = { is: (null) };
    const made = await dialog('New key', (close) => keyForm(close, problem));
    if (!made) return;
    this.keys.again();
    await secret(`The key ${made.name}`, made.key, 'Whoever has it can do what it is for.');
  }

  /** @param {any} k */
  async limits(k) {
    const out = await dialog(`Limits of ${k.name}`, (close) => limitForm(k, close));
    if (!out) return;
    const set = (/** @type {any} */ limits) => patch(`api/keys/${part(k.id)}`, limits).then(() => this.keys.again());
    await set(out);
    toast('The limits are changed.', () => set({ requests_per_minute: k.requests_per_minute, concurrent_turns: k.concurrent_turns }));
  }

  /** @param {any} k */
  async revoke(k) {
    if (!(await ask({ title: 'Revoke this key?', word: k.name, action: 'Revoke the key', text: 'Whoever uses it is shut out at once.' }))) return;
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

  content() {
    return [
      head('', 'Keys', check('also revoked ones', this.revoked, (so) => { this.revoked = so; change(); }), h('button', { onclick: once(() => this.make()) }, 'New key…')),
      column('wide',
        shown(this.keys, ({ data }) => {
          const rows = data.filter((/** @type {any} */ k) => this.revoked || !k.revoked_at);
          return rows.length === 0 ? empty('Keys will be listed here. Without one, only this machine has access, with the development key.') : this.table(rows);
        }),
        shown(this.tokens, ({ data }) => data.length > 0 && this.signedIn(data))),
    ];
  }

  /** @param {any[]} rows */
  table(rows) {
    return grid('Keys', ['Name', 'Owner', 'For', 'Requests a minute', 'Turns at once', 'Made', h('span', { class: 'unseen' }, 'Actions')],
      rows.map((k) => cells(k.id, [h('strong', null, k.name), k.session_key && h('p', { class: 'note' }, `memory ${k.session_key}`)], k.owner, k.scopes.join(', '),
        limit(k.limits.requests_per_minute), limit(k.limits.concurrent_turns),
        h('td', { title: exact(k.created_at) }, day(k.created_at), k.revoked_at && h('p', { class: 'bad' }, `revoked ${day(k.revoked_at)}`)),
        !k.revoked_at && h('div', { class: 'buttons' }, h('button', { onclick: once(() => this.limits(k)), 'aria-label': `Limits of ${k.name}` }, 'Limits…'), h('button', { onclick: once(() => this.revoke(k)), 'aria-label': `Revoke ${k.name}` }, 'Revoke…')))));
  }

  /** @param {any[]} rows */
  signedIn(rows) {
    return [h('h2', null, 'Where this key is signed in'), quotes(rows, (t) => h('p', null,
      t.current ? h('strong', null, 'Here') : `Signed in ${ago(t.created_at)}`, `, last used ${ago(t.last_used_at)}, until ${day(t.expires_at)} at the latest `,
      !t.current && h('button', { class: 'link', onclick: once(() => this.signOut(t)) }, 'Sign out there')))];
  }
}

/** @param {number | null} n */
const limit = (n) => (n === null || n === undefined ? 'no limit' : number(n));

/** @param {(v: any) => void} close @param {{is: any}} problem */
function keyForm(close, problem) {
  const submit = once(async (e) => {
    const given = new FormData(e.currentTarget);
    const texts = ['name', 'owner', 'session_key'].map((name) => [name, String(given.get(name)).trim()]);
    try {
      close(await post('api/keys', { ...Object.fromEntries(texts.filter(([, text]) => text)), scopes: given.getAll('scopes') }));
    } catch (err) { problem.is = problemOf(err); change(); }
  });
  return h('form', { class: 'form', onsubmit: submit },
    field('Name', { name: 'name', required: true, autocomplete: 'off' }), field('Owner: whose data it opens; a new one has none yet', { name: 'owner', autocomplete: 'off', ref: (/** @type {any} */ el) => { el.value = state.me?.owner ?? ''; } }),
    field('Session key of requests that name none', { name: 'session_key', autocomplete: 'off' }),
    h('fieldset', null, h('legend', null, 'For'), scopes.map(([s, text]) => h('label', { class: 'check' },
      h('input', { type: 'checkbox', name: 'scopes', ref: (el) => { el.value = s; el.checked = !['admin', 'metrics'].includes(s); } }), text))),
    problem.is && trouble(problem.is, null),
    decision(close, 'Make the key'));
}

/** @param {any} k @param {(v: any) => void} close */
function limitForm(k, close) {
  const value = (/** @type {any} */ el) => (el.value === '' ? null : Number(el.value));
  return h('form', { class: 'form', onsubmit: (e) => { e.preventDefault(); const f = e.currentTarget.elements; close({ requests_per_minute: value(f.requests), concurrent_turns: value(f.turns) }); } },
    [['requests', 'Requests a minute', k.requests_per_minute], ['turns', 'Turns at once', k.concurrent_turns]].map(([name, label, n]) =>
      field(`${label}; empty for the server’s default`, { name, type: 'number', min: 0, ref: (/** @type {any} */ el) => { el.value = n ?? ''; } })),
    decision(close, 'Change the limits'));
}

// Who did what, and whether the list of it is whole.
export class Audit extends Screen {
  constructor() {
    super('Audit');
    /** @type {Record<string, string>} */
    this.filter = { action: '', actor: '', session_id: '', since: '', until: '' };
    /** @type {any} */
    this.verdict = null;
    this.pages = new Pages((cursor, signal) => get('api/audit', { ...this.query(), cursor }, signal), (e) => e.seq);
    this.ends.push(() => this.pages.close());
    this.pages.again();
  }

  query() {
    const f = this.filter;
    return { ...f, since: startOf(f.since), until: endOf(f.until), limit: 100 };
  }

  async verify() {
    this.verdict = await get('api/audit/verify');
    change();
  }

  content() {
    const set = (/** @type {string} */ name) => (/** @type {any} */ e) => { this.filter = { ...this.filter, [name]: e.target.value.trim() }; this.pages.again(); };
    return [
      head('', 'Audit', h('button', { onclick: once(() => this.verify()) }, 'Verify')),
      h('div', { class: 'tools-row' }, [['action', 'action'], ['actor', 'by'], ['session_id', 'session'], ['since', 'from', 'date'], ['until', 'to', 'date']].map(([name, label, type]) =>
        field(label, { type, size: 12, value: this.filter[name], onchange: set(name) }))),
      column('wide', this.verdict && verdict(this.verdict), shown(this.pages.source, () => [
        this.pages.items.length === 0 ? empty('Nothing of this kind was done. Deletions, keys and changes of memory will be listed here; what was said is not.') : entries(this.pages.items),
        more(this.pages),
      ])),
    ];
  }
}

/** @param {any} v */
function verdict(v) {
  return h('div', { role: 'status', class: 'stack' },
    h('p', { class: v.intact ? 'now' : 'bad' }, v.intact ? `Whole: ${plural(v.entries, 'entry', 'entries')}, each linked to the one before.` : `Broken at entry ${number(v.broken_at)}: it was changed, or entries before it were taken out.`),
    h('p', null, 'Note down the last hash elsewhere; it shows later whether the end was cut off. ', h('span', { class: 'mono' }, v.last_hash), ' ', h('button', { class: 'small', onclick: copied(() => v.last_hash) }, 'Copy')));
}

/** @param {any[]} rows */
function entries(rows) {
  return grid('Entries', ['No.', 'When', 'By', 'What', 'On', 'Outcome'], rows.map((e) => cells(e.seq, number(e.seq), h('td', { title: exact(e.at) }, ago(e.at)), e.actor,
      [e.action, e.detail && h('p', { class: 'note' }, e.detail)], h('td', { class: 'mono' }, e.target ? `${e.target_kind ?? ''} ${e.target.slice(0, 20)}` : ''),
      h('td', { class: e.outcome === 'ok' ? undefined : 'bad', title: e.request_id ? `request ${e.request_id}` : undefined }, e.outcome))));
}

// How the server is: what a check finds, worst first, and what to do.
const levels = /** @type {Record<string, [string, string]>} */ ({ failed: ['bad', 'Failed'], warning: ['warn', 'Look at this'], ok: ['now', 'Fine'] });

export class Health extends Screen {
  constructor() {
    super('Health');
    this.deep = false;
    this.doctor = this.reads((signal) => get('api/doctor', { deep: this.deep }, signal));
    this.detail = this.reads((signal) => get('health/detailed', {}, signal));
    this.work = this.reads((signal) => get('api/work', { limit: 50 }, signal));
    this.on(['work'], () => this.work.again());
    for (const s of [this.doctor, this.detail, this.work]) s.again();
  }

  content() {
    const check = (/** @type {boolean} */ deep) => () => { this.deep = deep; this.doctor.again(); this.detail.again(); change(); };
    return [
      head('', 'Health', h('button', { onclick: check(false), disabled: this.doctor.busy }, 'Check again'), h('button', { onclick: check(true), disabled: this.doctor.busy }, this.doctor.busy && this.deep ? 'Reading everything…' : 'Deep check')),
      column('wide', shown(this.doctor, findings), shown(this.detail, detail), shown(this.work, work)),
    ];
  }
}

/** @param {any} d */
function findings(d) {
  const order = Object.keys(levels);
  const rows = [...d.findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return quotes(rows, (f) => {
    const [tone, says] = levels[f.level] ?? ['', f.level];
    return [h('p', null, h('strong', { class: tone }, `${says}: `), `${f.about}. `, f.says), f.do && h('p', { class: 'note' }, `What to do: ${f.do}`)];
  });
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
  return [h('h2', null, 'Work behind the turns'), w.data.length === 0 ? empty('Nothing waits.') : quotes(w.data, (t) => [
    h('p', null, `${t.kind} of `, h('a', { href: `#/sessions/${part(t.session_id)}` }, t.session_id), `: ${t.status}${t.attempts > 1 ? `, ${number(t.attempts)} attempts` : ''}${t.next_attempt_at ? `, next ${ago(t.next_attempt_at)}` : ''}`), t.error && h('p', { class: 'note bad' }, t.error)])];
}

// How this browser and the server are set. The server’s settings are only shown.
export class Settings extends Screen {
  constructor() {
    super('Settings');
    this.config = can('admin') ? this.reads((signal) => get('api/config', {}, signal)) : null;
    this.config?.again();
  }

  content() {
    return [
      head('', 'Settings'),
      column('wide',
        h('h2', null, 'This browser'),
        check('Single letters are keys (? shows them)', kept.get('keys') !== 'off', (so) => { kept.set('keys', so ? null : 'off'); change(); }),
        h('p', { class: 'note' }, 'The theme is chosen below the places.'),
        h('h2', null, 'The server'),
        h('p', { class: 'note' }, `Version ${state.version}. The server’s settings are changed in its configuration file or its environment, not here.`),
        this.config ? shown(this.config, ({ data }) => settings(data)) : h('p', { class: 'note' }, 'They are shown to a key with the scope “admin”.')),
    ];
  }
}

/** @param {any[]} rows */
function settings(rows) {
  return grid('Settings of the server', ['Setting', 'Value', 'From'], rows.map((r) => cells(r.name, [h('span', { class: 'mono' }, r.name), r.usage && h('p', { class: 'note' }, r.usage)],
    h('td', { class: 'mono' }, r.secret ? (r.value ? 'set' : 'not set') : String(r.value ?? '')), r.source)));
}
