// The keyboard: letters that lead to places and act on what is on view. They can be
// switched off, and never act while something is typed.
import { get, part } from './api.js';
import { dialog } from './dialog.js';
import { closeMenu, h } from './dom.js';
import { allowed, places } from './places.js';
import { finder } from './screen.js';
import { change, kept, setTheme, state } from './store.js';

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
