// The places of the page: what they are called, which scope they need, and their modules. Of them
// here: those that have no room at the bottom of a small screen, and an address that leads nowhere.
import { h } from './dom.js';
import { column, head, plain } from './screen.js';
import { open as sessions } from './sessions.js';
import { foot } from './signin.js';
import { can } from './store.js';

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
  { id: 'search', name: 'Search', scope: 'sessions:read', minor: true, open: async () => (await import('./search.js')).open() },
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
