// Settings: those of this browser, and how the server is set, which is only shown. And
// the places that have no room at the bottom of a small screen, and an address that
// leads nowhere.
import { get } from './api.js';
import { h } from './dom.js';
import { shown, Source } from './load.js';
import { grid, head } from './shape.js';
import { allowed, places } from './places.js';
import { foot } from './signin.js';
import { can, change, kept, state } from './store.js';

export function open() {
  const config = new Source((signal) => get('api/config', {}, signal));
  const may = can('admin');
  if (may) config.again();
  return { title: () => 'Settings', go: () => {}, content: () => view(may ? config : null), close: () => config.close() };
}

/** @param {Source<any> | null} config */
function view(config) {
  const flip = (/** @type {any} */ e) => { kept.set('keys', e.target.checked ? null : 'off'); change(); };
  return [
    head('', 'Settings'),
    h('div', { class: 'scroll' }, h('div', { class: 'column wide' },
      h('h2', null, 'This browser'),
      h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: kept.get('keys') !== 'off', onchange: flip }), 'Single letters are keys (? shows them)'),
      h('p', { class: 'note' }, 'The theme is chosen below the places.'),
      h('h2', null, 'The server'),
      h('p', { class: 'note' }, `Version ${state.version}. The server’s settings are changed in its configuration file or its environment, not here.`),
      config ? shown(config, ({ data }) => table(data)) : h('p', { class: 'note' }, 'They are shown to a key with the scope “admin”.'))),
  ];
}

/** @param {any[]} rows */
function table(rows) {
  return grid('Settings of the server', ['Setting', 'Value', 'From'], rows.map((r) => h('tr', { key: r.name }, h('td', null, h('span', { class: 'mono' }, r.name), r.usage && h('p', { class: 'note' }, r.usage)),
      h('td', { class: 'mono' }, r.secret ? (r.value ? 'set' : 'not set') : String(r.value ?? '')), h('td', null, r.source))));
}

/** openMore lists the places that are not at the bottom. */
export function openMore() {
  return {
    title: () => 'More',
    go: () => {},
    content: () => [
      head('', 'More'),
      h('div', { class: 'scroll' },
        h('ul', { class: 'rows' }, places.filter((p) => p.minor && allowed(p)).map((p) => h('li', { key: p.id }, h('a', { class: 'row', href: `#/${p.id}` }, p.name)))),
        h('div', { class: 'column' }, foot())),
    ],
  };
}

/** missing is a place that is not there, or that the key does not open. @param {Place | undefined} place */
export function missing(place) {
  const text = place
    ? `${place.name} needs a key with the scope “${place.scope}”, and the key you are signed in with lacks it. Sign in with another key, or make one: hermes keys create NAME --scopes ${place.scope}`
    : 'This address leads nowhere. Choose a place from the list.';
  return {
    title: () => 'Not here',
    go: () => {},
    content: () => h('div', { class: 'scroll' }, h('div', { class: 'column' }, h('h1', null, 'Not here'), h('p', null, text))),
  };
}

/** unread is a place whose module could not be read. @param {unknown} err */
export function unread(err) {
  console.error(err);
  return {
    unread: true,
    title: () => 'Not here',
    go: () => {},
    content: () => h('div', { class: 'scroll' }, h('div', { class: 'column' }, h('h1', null, 'Not here'),
      h('p', null, 'This part of the page could not be read: the server cannot be reached, or it was updated meanwhile. Load the page again; what you have typed is kept.'),
      h('p', null, h('button', { class: 'primary', onclick: () => location.reload() }, 'Load the page again')))),
  };
}
