// The one state of the page, its drawing, and what this browser keeps.

export const state = {
  /** @type {Route} */
  route: { place: '', path: [], fresh: false, query: {} },
  /** @type {Me | null} */
  me: null,
  /** how one gets in: none, development or key */
  signIn: '',
  version: '',
  offline: false,
  /** what is said to those who cannot see the page change */
  status: '',
  /** @type {any} the screen on view */
  screen: null,
  /** @type {any} until a secret is taken down that is shown only once, nobody is asked to sign in */
  held: null,
};

let queued = false;
let drawing = () => {};

/** @param {() => void} f */
export function onDraw(f) { drawing = f; }

/** change draws the page, at most once a frame. */
export function change() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => { if (queued) drawNow(); });
  // A hidden page gets no frames, and must still be right when it is measured.
  if (document.hidden) setTimeout(() => { if (queued) drawNow(); }, 50);
}

/** drawNow draws the page at once, for what must be right before the next frame. */
export function drawNow() {
  queued = false;
  drawing();
}

/** calm is a function that acts once it was not called for a while. @param {() => any} f @param {number} [ms] */
export function calm(f, ms = 150) {
  /** @type {any} */
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(f, ms); };
}

/** @param {string} text */
export function say(text) {
  state.status = text;
  change();
}

// What the browser keeps belongs to one path of one port.
const base = `hermes:${location.pathname}:`;

/** @param {'sessionStorage' | 'localStorage'} store */
const box = (store) => {
  // Where there is no room, or storage is switched off, the page works without.
  /** @template T @param {(store: Storage) => T} use */
  const safely = (use) => { try { return use(window[store]); } catch { return null; } };
  return {
    /** @param {string} name */
    get: (name) => safely((s) => s.getItem(base + name)),
    /** @param {string} name @param {string | null} value */
    set: (name, value) => safely((s) => (value ? s.setItem(base + name, value) : s.removeItem(base + name))),
    names: () => safely((s) => Object.keys(s).filter((k) => k.startsWith(base)).map((k) => k.slice(base.length))) ?? [],
  };
};

/** tab is kept until the tab is closed. */
export const tab = box('sessionStorage');
/** kept is kept for longer. */
export const kept = box('localStorage');

/** @param {string} scope */
export function can(scope) {
  const scopes = state.me?.scopes;
  return !scopes || scopes.includes(scope) || scopes.includes('*');
}

/** drop removes every draft that has a word in it. @param {string} word */
export function dropDrafts(word) {
  const small = word.toLowerCase();
  for (const name of tab.names()) {
    if (name.startsWith('draft:') && (tab.get(name) ?? '').toLowerCase().includes(small)) tab.set(name, null);
  }
}

/** setTheme chooses a theme for this browser: light, dark, or the system's. @param {string} to */
export function setTheme(to) {
  kept.set('theme', to);
  theme();
  change();
}

/** theme puts the chosen theme on the page. */
export function theme() { document.documentElement.style.setProperty('color-scheme', kept.get('theme')); }

/** id is a random name, where crypto.randomUUID is missing too. */
export function randomID() {
  const b = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(b, (n) => n.toString(16).padStart(2, '0')).join('');
}

/** @param {string} text */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // On plain http, only this is there.
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  return undefined;
}

/** @param {string} name @param {string} text @param {string} type */
export function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
