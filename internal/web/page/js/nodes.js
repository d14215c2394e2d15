// Markdown as the server parsed it: nodes become elements, and texts become text.
// Nothing of them is parsed here, and no image is loaded.
import { h, make } from './dom.js';
import { copy } from './store.js';
import { visible } from './words.js';

/** @typedef {{type: string, text?: string, href?: string, inlines?: Inline[]}} Inline */
/**
 * @typedef {object} Block
 * @property {string} type
 * @property {number} [level]
 * @property {boolean} [ordered]
 * @property {number} [start]
 * @property {boolean} [tight]
 * @property {boolean} [checked]
 * @property {string} [language]
 * @property {string} [text]
 * @property {Inline[]} [inlines]
 * @property {Block[]} [blocks]
 * @property {string[]} [align]
 * @property {Inline[][]} [header]
 * @property {Inline[][][]} [rows]
 */

const inlineTags = /** @type {Record<string, string>} */ ({ strong: 'strong', emphasis: 'em', strikethrough: 's' });

/** @param {Inline[] | undefined} list @returns {any[]} */
const inlines = (list) => (list ?? []).map(inline);

/** @param {Inline} node @returns {any} */
function inline(node) {
  if (node.type === 'text') return visible(node.text ?? '');
  if (node.type === 'code') return make('code', null, node.text);
  if (node.type === 'break') return make('br');
  const tag = inlineTags[node.type];
  const el = node.type === 'link' ? link(node) : make(tag ?? 'span');
  el.append(...inlines(node.inlines));
  if (node.type === 'link' && !el.textContent) el.append(node.href ?? '');
  return el;
}

/** link leads out, and says where to. @param {Inline} node */
function link(node) {
  const href = node.href ?? '';
  if (!/^(https?|mailto):/i.test(href)) return make('span');
  let host = href;
  try { host = new URL(href).host || href; } catch { /* shown as it is */ }
  return make('a', { href, title: host, target: '_blank', rel: 'noopener noreferrer nofollow' });
}

/**
 * blocks are the elements of a text.
 * @param {Block[] | undefined} list
 * @returns {any[]}
 */
export const blocks = (list) => (list ?? []).map(block);

/** @type {Record<string, (b: Block) => any>} */
const makers = {
  paragraph: (b) => fill(make('p'), inlines(b.inlines)),
  // The page has its own headings above these.
  heading: (b) => fill(make(`h${Math.min((b.level ?? 1) + 2, 6)}`), inlines(b.inlines)),
  list: (b) => fill(make(b.ordered ? 'ol' : 'ul', { start: b.ordered ? b.start ?? 0 : undefined, class: b.tight ? 'tight' : undefined }), blocks(b.blocks)),
  item,
  quote: (b) => fill(make('blockquote'), blocks(b.blocks)),
  code,
  table,
  rule: () => make('hr'),
};

/** @param {Block} b */
const block = (b) => (makers[b.type] ?? makers.paragraph)(b);

/** @param {any} el @param {any[]} kids */
function fill(el, kids) {
  el.append(...kids);
  return el;
}

/** @param {Block} b */
function item(b) {
  const task = b.checked === undefined || b.checked === null ? [] : [make('span', { class: 'task' }, b.checked ? '[done] ' : '[open] ')];
  return fill(make('li'), [...task, ...blocks(b.blocks)]);
}

/** @param {Block} b */
function code(b) {
  const text = b.text ?? '';
  return fill(make('div', { class: 'code' }), [
    make('button', { class: 'small', type: 'button', onclick: copied(text) }, 'Copy'),
    make('pre', { tabindex: 0, role: 'group', 'aria-label': b.language ? `Code, ${b.language}` : 'Code' }, h('code', null, text)),
  ]);
}


/** copied copies a text, and says so on the button. @param {string} text */
export const copied = (text) => async (/** @type {any} */ event) => {
  const button = event.currentTarget;
  await copy(text);
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
};

/** @param {Block} b */
function table(b) {
  /** @param {string} tag @param {Inline[]} content @param {number} i */
  const cell = (tag, content, i) => fill(make(tag, { class: b.align?.[i] || undefined, scope: tag === 'th' ? 'col' : undefined }), inlines(content));
  /** @param {string} tag @param {Inline[][]} cells */
  const row = (tag, cells) => fill(make('tr'), cells.map((c, i) => cell(tag, c, i)));
  return fill(make('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' }), [fill(make('table'), [
    fill(make('thead'), [row('th', b.header ?? [])]),
    fill(make('tbody'), (b.rows ?? []).map((r) => row('td', r))),
  ])]);
}
