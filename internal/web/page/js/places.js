// The places of the page: what they are called, which scope they need, and their modules. Of them
// here: those that have no room at the bottom of a small screen, an address that leads nowhere,
// and searching what was said in all sessions. And the keyboard, which leads to all of them.
import { get, part } from './api.js';
import { dialog } from './dialog.js';
import { closeMenu, h } from './dom.js';
import { choice, column, empty, field, finder, head, marked, plain, Screen, shown, who } from './screen.js';
import { open as sessions } from './sessions.js';
import { foot } from './signin.js';
import { can, change, kept, setTheme, state } from './store.js';
import { dayClock, endOf, number, plural, startOf } from './words.js';

const openMore = () => plain('More', () => [
  head('', 'More'),
  h('div', { class: 'scroll' },
    h('ul', null, places.filter((p) => p.minor && allowed(p)).map((p) => h('li', { key: p.id }, h('a', { class: 'row', href: `#/${p.id}` }, p.name)))),
    h('div', { class: 'column' }, foot())),
]);

/** elsewhere is a place that cannot be shown. @param {...Kid} kids */
const elsewhere = (...kids) => plain('Not here', () => column('', h('h1', null, 'Not here'), kids));

/** missing is a place that is not there, or that the key does not open. @param {Place | undefined} place */
export const missing = (place) => elsewhere(h('p', null, place
  ? `${place.name} needs a key with the scope “${place.scope}”, and the key you are signed in with lacks it. Sign in with another key, or make one: hermes keys create NAME --scopes ${place.scope}`
  : 'This address leads nowhere. Choose a place from the list.'));

/** unread is a place whose module could not be read. @param {unknown} err */
export function unread(err) {
  console.error(err);
  const again = h('button', { class: 'primary', onclick: () => location.reload() }, 'Load the page again');
  return Object.assign(elsewhere(
    h('p', null, 'This part of the page could not be read: the server cannot be reached, or it was updated meanwhile. Load the page again; what you have typed is kept.'),
    h('p', null, again)), { unread: true });
}

/** @type {Place[]} */
export const places = [
  { id: 'sessions', name: 'Sessions', scope: 'sessions:read', key: 's', open: sessions },
  { id: 'memory', name: 'Memory', scope: 'memory', key: 'm', open: async () => (await import('./memory.js')).open() },
  { id: 'jobs', name: 'Jobs', scope: 'jobs', key: 'j', open: async () => (await import('./jobs.js')).open() },
  { id: 'runs', name: 'Runs', scope: 'chat', key: 'r', open: async () => (await import('./runs.js')).open() },
  { id: 'search', name: 'Search', scope: 'sessions:read', minor: true, open: () => new Search() },
  { id: 'cost', name: 'Cost', scope: 'sessions:read', key: 'c', minor: true, open: async () => (await import('./cost.js')).open() },
  { id: 'keys', name: 'Keys', scope: 'admin', minor: true, open: async () => new (await import('./server.js')).Keyring() },
  { id: 'audit', name: 'Audit', scope: 'admin', minor: true, open: async () => new (await import('./server.js')).Audit() },
  { id: 'health', name: 'Health', scope: 'admin', minor: true, open: async () => new (await import('./server.js')).Health() },
  { id: 'settings', name: 'Settings', scope: '', minor: true, open: async () => new (await import('./server.js')).Settings() },
  { id: 'more', name: 'More', scope: '', hidden: true, open: openMore },
];

/** @param {string} id */
export const place = (id) => places.find((p) => p.id === id);

/** @param {Place} p */
export const allowed = (p) => p.scope === '' || can(p.scope);

// Searching.
const syntax = [
  ['docker deployment', 'both words, in any form and case'], ['"exact phrase"', 'the words next to each other'],
  ['docker OR kubernetes', 'either word'], ['python -java', 'the first without the second'],
  ['deploy*', 'words that begin so'], ['(docker OR podman) "rolling update"', 'parentheses group'],
];

class Search extends Screen {
  constructor() {
    super('Search');
    /** @type {Record<string, string>} */
    this.query = {};
    this.text = '';
    this.source = this.reads((signal) => get('api/search', { ...this.query, limit: 30, from: startOf(this.query.from), to: endOf(this.query.to) }, signal));
  }

  /** @param {Route} route */
  go(route) {
    const same = JSON.stringify(route.query) === JSON.stringify(this.query);
    this.query = route.query;
    if (same && this.source.data) return;
    this.text = route.query.q ?? '';
    this.source.problem = null;
    if (this.text) this.source.again();
    else this.source.data = undefined;
    change();
  }

  /** @param {Record<string, string>} to */
  set(to) {
    const query = Object.entries({ ...this.query, q: this.text.trim(), ...to }).filter(([, v]) => v);
    location.hash = `#/search${query.length ? `?${new URLSearchParams(query)}` : ''}`;
  }

  content() {
    const q = this.query;
    const invalid = this.source.problem?.code === 'invalid_query' ? this.source.problem : null;
    return [
      head('', 'Search'),
      h('form', { class: 'tools-row', role: 'search', onsubmit: (e) => { e.preventDefault(); this.set({}); } },
        finder('Words that were said', this.text, (text) => { this.text = text; }, { size: 36 }),
        h('button', { class: 'primary' }, 'Search'),
        h('label', null, 'by', choice([['', 'anybody'], ['user', 'people'], ['assistant', 'answers'], ['tool', 'tools']], q.role ?? '', (role) => this.set({ role }))),
        [['source', 'text'], ['from', 'date'], ['to', 'date']].map(([name, type]) =>
          field(name, { type, size: 10, value: q[name] ?? '', onchange: (/** @type {any} */ e) => this.set({ [name]: e.target.value.trim() }) }))),
      column('', h('details', null, h('summary', { class: 'note' }, 'How to ask'), h('dl', { class: 'keys' }, syntax.map(([a, b]) => [h('dt', { class: 'mono' }, a), h('dd', null, b)]))),
        invalid ? wrong(q.q ?? '', invalid) : !q.q ? empty('Type what you remember of it. What was said in any session is found by its words.') : shown(this.source, results)),
    ];
  }
}

/** @param {string} q @param {any} problem */
function wrong(q, problem) {
  const at = Number(/\[(\d+)\]/.exec(problem.param)?.[1] ?? 1) - 1;
  return h('div', { class: 'trouble', role: 'alert' }, h('p', null, problem.message), marked(q, at));
}

/** @param {any} page */
function results(page) {
  if (page.data.length === 0) return empty('Nothing was said with these words. Try fewer words, or the beginning of one with a star: deploy*');
  return [
    h('p', { class: 'note', role: 'status' }, `${plural(page.data.length, 'session')}`, page.partial && '. These words are very common: only the newest messages were ranked.'),
    page.data.map((/** @type {any} */ s) => h('section', { key: s._lineage_root_id, class: 'hit' },
      h('h2', null, h('a', { href: `#/sessions/${part(s._lineage_root_id)}` }, s.title ?? s._lineage_root_id), h('span', { class: 'note' }, ` ${plural(s.match_count, 'match', 'matches')}`)),
      h('ul', null, s.matches.map((/** @type {any} */ m) => h('li', { key: m.message_id }, match(s, m)))))),
  ];
}

/** @param {any} s @param {any} m */
function match(s, m) {
  const chars = [...m.snippet];
  /** @type {Kid[]} */
  const out = [];
  let at = 0;
  for (const [from, to] of m.highlights) {
    out.push(chars.slice(at, from).join(''), h('mark', null, chars.slice(from, to).join('')));
    at = to;
  }
  out.push(chars.slice(at).join(''));
  return h('a', { class: 'row', href: `#/sessions/${part(s._lineage_root_id)}/${m.seq}` },
    h('span', { class: m.role === 'user' ? 'said' : undefined }, out),
    h('span', { class: 'side' }, `${who(m.role)}, ${dayClock(m.said_at)}`, h('br'), `message ${number(m.seq)}`));
}

// The keyboard: letters that lead to places and act on what is on view. They can be
// switched off, and never act while something is typed.
/** @param {EventTarget | null} target */
const typing = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
  && !/^(checkbox|radio|button)$/.test(/** @type {any} */ (target).type));

const modal = () => document.querySelector('dialog[open]') !== null;

// held reports whether a key is held on what would act again and again.
/** @param {KeyboardEvent} event */
const held = (event) => event.repeat && (event.key === 'Enter' ? !(event.target instanceof HTMLTextAreaElement) : event.key === ' ' && !typing(event.target));

let going = 0; // when g was pressed

export function keyboard() {
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (held(event)) event.preventDefault();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      if (!modal()) palette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || modal()) return;
    if (event.key === 'Escape') escape(event);
    else if (!typing(event.target) && kept.get('keys') !== 'off' && letter(event.key)) event.preventDefault();
  });
}

/** @param {KeyboardEvent} event */
function escape(event) {
  if (closeMenu()) return;
  if (state.screen?.panel?.()) state.screen.closePanel?.();
  else if (typing(event.target)) /** @type {HTMLElement} */ (event.target).blur();
}

/** @param {string} key */
function letter(key) {
  if (going && Date.now() - going < 1500) {
    going = 0;
    const to = places.find((p) => p.key === key && allowed(p));
    if (to) location.hash = `#/${to.id}`;
    return Boolean(to);
  }
  if (key === 'g') { going = Date.now(); return true; }
  if (key === '?') { help(); return true; }
  if (key === '/') return find();
  if (key === 'j' || key === 'k') return move(key === 'j' ? 1 : -1);
  if (key === 'n' && state.route.place !== 'jobs') { location.hash = '#/sessions/new'; return true; }
  const act = state.screen?.keys?.[key];
  act?.();
  return Boolean(act);
}

function find() {
  const field = /** @type {HTMLElement | null} */ (document.querySelector('[type=search]'));
  if (field) field.focus();
  else location.hash = '#/search';
  return true;
}

/** @param {number} by */
function move(by) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('a.row, button.row')]);
  if (rows.length === 0) return false;
  const at = rows.indexOf(/** @type {any} */ (document.activeElement));
  const current = rows.findIndex((r) => r.getAttribute('aria-current'));
  const next = at >= 0 ? at + by : current >= 0 ? current + by : 0;
  rows[Math.max(0, Math.min(next, rows.length - 1))].focus();
  return true;
}

const all = [
  ['/', 'find in this place'], ['Ctrl K, ⌘ K', 'go to a session, a place or an action'], ['j, k', 'next row, previous row'], ['Enter', 'open the row'],
  ['n', 'new session'], ['g, then s m j r c', 'sessions, memory, jobs, runs, cost'], ['w', 'why: what the newest answer was given'],
  ['e', 'edit what is open'], ['Esc', 'close the panel, then leave the field'], ['?', 'these keys'],
];

function help() {
  dialog('Keys', (close) => [
    h('dl', { class: 'keys' }, all.map(([key, what]) => [h('dt', null, h('kbd', null, key)), h('dd', null, what)])),
    h('p', { class: 'note' }, 'Single letters can be switched off under Settings.'),
    h('div', { class: 'buttons' }, h('button', { onclick: () => close(true) }, 'Close')),
  ]);
}

// Going anywhere from the keyboard: to a place, a session, or an action.
/** @typedef {{name: string, note: string, go: () => void}} Target */

/** @param {string} to */
const at = (to) => () => { location.hash = to; };

function fixed() {
  return [
    ...places.filter((p) => allowed(p) && !p.hidden).map((p) => ({ name: p.name, note: 'place', go: at(`#/${p.id}`) })),
    { name: 'New session', note: 'action', go: at('#/sessions/new') }, { name: 'New job', note: 'action', go: at('#/jobs/new') },
    { name: 'Light theme', note: 'action', go: () => setTheme('light') }, { name: 'Dark theme', note: 'action', go: () => setTheme('dark') },
  ];
}

function palette() {
  let [q, chosen, turn] = ['', 0, 0];
  /** @type {Target[]} */
  let sessions = [];
  const matching = () => [...fixed().filter((t) => t.name.toLowerCase().includes(q.toLowerCase())), ...sessions].slice(0, 12);
  const look = async () => {
    const mine = ++turn;
    const page = await get('api/sessions', { q, limit: 8 }).catch(() => ({ data: [] }));
    if (mine !== turn) return;
    sessions = page.data.map((/** @type {any} */ s) => ({ name: s.title ?? s.preview ?? s._lineage_root_id, note: s.session_key ?? s._lineage_root_id, go: at(`#/sessions/${part(s._lineage_root_id)}`) }));
    change();
  };
  look();
  dialog('Go to', (close) => {
    const rows = matching();
    const go = (/** @type {Target | undefined} */ t) => { if (!t) return; close(true); t.go(); };
    const key = (/** @type {KeyboardEvent} */ e) => {
      if (e.isComposing) return;
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') { e.preventDefault(); chosen = Math.max(0, Math.min(chosen + (e.key === 'ArrowDown' ? 1 : -1), rows.length - 1)); change(); }
      if (e.key === 'Enter') { e.preventDefault(); go(rows[chosen]); }
    };
    return [
      finder('A session, a place or an action', q, (to) => { [q, chosen] = [to, 0]; look(); change(); },
        { key: 'q', type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-rows', 'aria-activedescendant': rows[chosen] ? `palette-${chosen}` : undefined, autocomplete: 'off', onkeydown: key }),
      h('ul', { key: 'rows', id: 'palette-rows', role: 'listbox', 'aria-label': 'Where to' }, rows.map((t, i) => h('li', { key: `${t.note} ${t.name}`, id: `palette-${i}`, role: 'option', class: 'row', 'aria-selected': String(i === chosen), 'aria-current': i === chosen ? 'true' : undefined, onclick: () => go(t) },
        h('span', { class: 'title' }, t.name), h('span', { class: 'side' }, t.note)))),
    ];
  });
}
