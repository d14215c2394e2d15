// Drawing: a screen is a function from state to virtual nodes. draw compares them with
// those drawn before and changes the document where they differ. All text goes in as
// text: nothing here or elsewhere parses HTML.
import { visible } from './words.js';

const svgSpace = 'http://www.w3.org/2000/svg';

/** @type {WeakMap<Node, VNode[]>} what was drawn into an element */
const drawn = new WeakMap();

/**
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...Kid} kids
 */
export function h(tag, props, ...kids) {
  const own = props ?? {};
  return { tag, props: own, kids: flat(kids, []), key: own.key, el: null };
}

/**
 * ready is a place for an element that its owner draws by hand.
 * @param {HTMLElement} el
 */
export const ready = (el) => ({ tag: '*', props: {}, kids: [], key: el, el });

/** @param {Kid[]} kids @param {VNode[]} out */
function flat(kids, out) {
  for (const kid of kids) {
    if (Array.isArray(kid)) flat(kid, out);
    else if (kid !== null && typeof kid === 'object') out.push(kid);
    else if (kid !== undefined && kid !== null && kid !== '' && typeof kid !== 'boolean') {
      out.push({ tag: '', props: {}, kids: [], key: undefined, text: visible(String(kid)), el: null });
    }
  }
  return out;
}

/**
 * draw makes the children of an element be these.
 * @param {Element} parent
 * @param {...Kid} kids
 */
export function draw(parent, ...kids) {
  const now = flat(kids, []);
  reconcile(parent, drawn.get(parent) ?? [], now);
  drawn.set(parent, now);
}

/**
 * make is a real element, for those who draw by hand.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...Kid} kids
 */
export function make(tag, props, ...kids) {
  return create(h(tag, props, ...kids));
}

/** @param {Node} parent @param {VNode[]} old @param {VNode[]} now */
function reconcile(parent, old, now) {
  /** @type {Map<any, VNode>} */
  const keyed = new Map();
  /** @type {VNode[]} */
  const loose = [];
  for (const node of old) {
    if (node.key === undefined) loose.push(node);
    else keyed.set(node.key, node);
  }
  let from = 0;
  /** @param {VNode} node */
  const match = (node) => {
    if (node.key !== undefined) {
      const found = keyed.get(node.key);
      if (found?.tag !== node.tag) return undefined;
      keyed.delete(node.key);
      return found;
    }
    for (let i = from; i < loose.length; i++) {
      if (loose[i].tag !== node.tag) continue;
      for (; from < i; from++) loose[from].el.remove();
      return loose[from++];
    }
    return undefined;
  };
  for (const node of now) {
    const before = match(node);
    if (before) update(before, node);
    else create(node);
  }
  for (const node of keyed.values()) node.el.remove();
  for (; from < loose.length; from++) loose[from].el.remove();
  place(parent, now);
}

// place puts the drawn nodes in order, moving as few as it can: a moved element loses
// the focus.
/** @param {Node} parent @param {VNode[]} now */
function place(parent, now) {
  let at = parent.firstChild;
  for (const { el } of now) {
    if (el === at) at = el.nextSibling;
    else parent.insertBefore(el, at);
  }
}

/** @param {VNode} node */
function create(node) {
  if (node.tag === '*') return node.el;
  if (node.text !== undefined) return (node.el = document.createTextNode(node.text));
  const el = node.tag.startsWith('svg:') ? document.createElementNS(svgSpace, node.tag.slice(4)) : document.createElement(node.tag);
  node.el = el;
  reconcile(el, [], node.kids);
  for (const name in node.props) setProp(el, name, node.props[name], undefined);
  node.props.ref?.(el);
  return el;
}

/** @param {VNode} before @param {VNode} node */
function update(before, node) {
  const el = (node.el = before.el);
  if (node.tag === '*') return;
  if (node.text !== undefined) {
    if (node.text !== before.text) el.data = node.text;
    return;
  }
  for (const name in before.props) {
    if (!(name in node.props)) setProp(el, name, undefined, before.props[name]);
  }
  reconcile(el, before.kids, node.kids);
  for (const name in node.props) setProp(el, name, node.props[name], before.props[name]);
}

const byProperty = new Set(['value', 'checked', 'indeterminate', 'scrollTop']);

/** @param {any} el @param {string} name @param {any} value @param {any} before */
function setProp(el, name, value, before) {
  if (name === 'key' || name === 'ref') return;
  if (byProperty.has(name)) {
    if (value !== undefined && el[name] !== value) el[name] = value;
    return;
  }
  if (name === 'css') {
    for (const property in value) el.style.setProperty(property, value[property]);
    return;
  }
  if (value === before) return;
  if (name.startsWith('on')) {
    el[name] = value ?? null;
    return;
  }
  if (value === undefined || value === null || value === false) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? '' : visible(String(value)));
}

// The focus. Each path begins with what has had it, and goes on with what that is in.
/** @type {Element[]} */
let path = [];
/** @type {Element[]} the last one outside of a panel */
let opener = [];

const none = () => document.activeElement === document.body;

/** focused is where the focus is, for settle. Whoever leaves a field, or clicks where nothing is, wants it nowhere. */
export function focused() {
  if (none() && path[0]?.checkVisibility() && !path[0].matches(':disabled')) { opener = opener === path ? [] : opener; path = []; }
  return path;
}

/**
 * settle gives the focus back to where it was. If that is gone or cannot have it, what it was in
 * has it, but for what only scrolls, then what opened the panel, else the heading of the screen.
 * @param {Element[]} from
 */
export function settle(from) {
  for (const el of [...from, ...opener, ...document.querySelectorAll('main')]) {
    const to = /** @type {HTMLElement | null} */ (el.matches('form, dialog') ? el.querySelector('textarea, input, button') : el.matches('main, aside') ? heading(el) : el.matches('.scroll') ? null : el);
    to?.focus({ preventScroll: true });
    if (to && document.activeElement === to) return;
  }
}

/** heading is that of a screen or a panel, which can then have the focus. @param {Element | null} of */
export function heading(of) {
  const el = of?.querySelector('h1, h2') ?? null;
  el?.setAttribute('tabindex', '-1');
  return /** @type {HTMLElement | null} */ (el);
}

/** closeMenu closes an open menu, and reports whether there was one. */
export function closeMenu() {
  const menu = document.querySelector('.menu[open]');
  const within = menu?.contains(document.activeElement);
  menu?.removeAttribute('open');
  if (within) /** @type {any} */ (menu?.firstElementChild).focus();
  return Boolean(menu);
}

/** keepFocus gives the focus another place when what has it is taken away, hidden or disabled. */
export function keepFocus() {
  let due = 0;
  for (const type of ['pointerdown', 'focusin']) addEventListener(type, (/** @type {any} */ e) => { if (!e.target.closest('.menu')) closeMenu(); });
  addEventListener('focusin', (e) => {
    path = [];
    for (let el = /** @type {Element | null} */ (e.target); el && el !== document.body; el = el.parentElement) path.push(el);
    if (!path.some((el) => el.matches('.panel, dialog'))) opener = path;
  });
  addEventListener('focusout', () => setTimeout(focused));
  new MutationObserver(() => { due ||= setTimeout(() => { due = 0; if (none() && path.length > 0) settle(path); }, 50); })
    .observe(document.body, { childList: true, subtree: true, attributeFilter: ['open', 'disabled'] });
}
