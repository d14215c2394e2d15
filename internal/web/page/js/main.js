// The frame: places, list, content and panel, and the address that names what they show.
import { draw, h, heading, keepFocus } from './dom.js';
import { watch } from './events.js';
import { toast, toasts } from './dialog.js';
import { plain } from './screen.js';
import { keyboard } from './keys.js';
import { allowed, missing, place, places, unread } from './places.js';
import { enter, foot, banner } from './signin.js';
import { change, onDraw, state, theme } from './store.js';
import { visible } from './words.js';

const root = /** @type {HTMLElement} */ (document.getElementById('page'));
const wide = matchMedia('(min-width: 64rem)');
let opened = '';
let focusing = false;

function readRoute() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const raw = path.split('/').filter(Boolean);
  const parts = raw.map((p) => { try { return decodeURIComponent(p); } catch { return p; } });
  return { place: parts[0] ?? 'sessions', path: parts.slice(1), fresh: raw[1] === 'new', query: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

async function route() {
  const next = readRoute();
  const before = state.route;
  state.route = next;
  focusing = before.place !== '' && (before.place !== next.place || before.path[0] !== next.path[0]);
  const to = place(next.place);
  if (opened !== next.place) {
    const screen = !to || !allowed(to) ? missing(to) : await Promise.resolve().then(to.open).catch(unread);
    if (state.route !== next) return; // another address came meanwhile
    state.screen?.close();
    state.screen = screen;
    opened = screen.unread ? '' : next.place;
  }
  state.screen.go(next);
  change();
}

function frame() {
  const { screen } = state;
  const panel = screen.panel?.();
  const list = screen.list && (wide.matches || screen.listing());
  return [
    h('a', { class: 'skip', href: '#main', onclick: skip }, 'Skip to the content'),
    h('div', { class: 'frame' },
      sidebar(),
      list && (wide.matches
        ? h('section', { key: 'list', class: 'list', 'aria-label': 'List' }, screen.list?.())
        : h('main', { key: 'list-main', id: 'main', class: 'list', tabindex: -1 }, h('h1', { class: 'list-title' }, screen.name), screen.list?.())),
      (wide.matches || !list) && h('main', { key: 'main', id: 'main', class: 'content', tabindex: -1 }, screen.content()),
      panel && side(screen, panel)),
    banner(),
    h('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' }, state.status),
    state.offline && h('p', { class: 'bar', role: 'alert' }, 'The server cannot be reached, trying again'),
    (wide.matches || !panel) && toasts(),
  ];
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function sidebar() {
  const at = state.route.place;
  const known = places.filter((p) => allowed(p) && !p.hidden);
  /** @param {typeof places[number]} p */
  const item = (p) => h('a', { key: p.id, href: `#/${p.id}`, class: p.minor ? 'minor' : undefined, 'aria-current': p.id === at ? 'page' : undefined }, p.name);
  const more = known.some((p) => p.minor && p.id === at) || at === 'more';
  return h('nav', { key: 'places', class: 'places', 'aria-label': 'Places' },
    h('p', { class: 'brand' }, 'hermes'),
    h('div', { class: 'links' }, known.map(item), h('a', { key: 'more', class: 'more', href: '#/more', 'aria-current': more ? 'page' : undefined }, 'More')),
    h('div', { class: 'foot' }, foot()));
}

// side is the panel: beside the content where there is room, else over it.
/** @param {OnView} screen @param {Kid} panel */
function side(screen, panel) {
  if (wide.matches) return h('aside', { key: 'panel', class: 'panel', 'aria-label': 'Details' }, panel);
  const modal = (/** @type {HTMLDialogElement} */ el) => setTimeout(() => { if (el.isConnected && !el.open) el.showModal(); });
  const cancel = (/** @type {Event} */ e) => { e.preventDefault(); screen.closePanel?.(); };
  return h('dialog', { key: 'panel-over', class: 'panel', 'aria-label': 'Details', ref: modal, oncancel: cancel }, panel, toasts()); // nothing outside a modal dialog can be pressed
}

// files that are dropped on the page are not opened in its place, which a browser would do.
function files() {
  const has = (/** @type {DragEvent} */ e) => e.dataTransfer?.types.includes('Files');
  addEventListener('dragover', (e) => { if (has(e)) e.preventDefault(); });
  addEventListener('drop', (e) => {
    if (!has(e)) return;
    e.preventDefault();
    toast('Files cannot be given to this page. Paste their text instead.', undefined, true);
  });
}

function drawPage() {
  if (!state.screen) return;
  draw(root, frame());
  const title = state.screen.title();
  document.title = title ? visible(`${title} · hermes`) : 'hermes';
  if (!focusing) return;
  focusing = false;
  const field = /** @type {HTMLElement | null} */ (state.route.fresh && document.querySelector('main form :is(input, textarea)'));
  (field || heading(document.querySelector('main')))?.focus({ preventScroll: true });
}

async function start() {
  theme();
  onDraw(drawPage);
  keepFocus();
  root.replaceChildren(); // the empty frame, which was there to be seen before any script
  state.screen = plain('', () => h('h1', { class: 'unseen' }, 'hermes'));
  change();
  await enter();
  addEventListener('hashchange', route);
  wide.addEventListener('change', change);
  setInterval(change, 30_000); // times in relation to now
  keyboard();
  files();
  await route();
  watch();
}

start();
