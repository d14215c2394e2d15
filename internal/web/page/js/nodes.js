// Markdown as the server parsed it: nodes become elements, and texts become text.
// Nothing of them is parsed here, and no image is loaded.
import { h, make, ready } from './dom.js';
import { copy } from './store.js';
import { visible } from './words.js';

const inlineTags = /** @type {Record<string, string>} */ ({ strong: 'strong', emphasis: 'em', strikethrough: 's' });

/** @param {Inline[] | undefined} list */
const inlines = (list) => (list ?? []).map(inline);

/** @param {Inline} node */
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

/** @param {Inline} node */
function link(node) {
  const href = node.href ?? '';
  if (!/^(https?|mailto):/i.test(href)) return make('span');
  let host = href;
  try { host = new URL(href).host || href; } catch { /* shown as it is */ }
  return make('a', { href, title: host, target: '_blank', rel: 'noopener noreferrer nofollow' });
}

/**
 * @param {Block[] | undefined} list
 */
export function blocks(list) {
  const box = document.createDocumentFragment();
  grow(box, list ?? [], [], { left: Infinity });
  return [...box.children];
}

/**
 * grow makes the last elements of a box be those of blocks. An element whose block has not
 * changed stays, so that a text that grows costs what is new of it. No more elements are made
 * than are left; if none is, there may be more to draw.
 * @param {Element | DocumentFragment} box @param {Block[]} list @param {Drawn[]} was @param {{left: number}} most
 */
export function grow(box, list, was, most) {
  const skip = box.children.length - was.length;
  const now = /** @type {Drawn[]} */ ([]);
  for (const [i, block] of list.entries()) {
    const old = was[i];
    if (old?.whole && same(old.block, block)) { now.push(old); continue; }
    if (most.left <= 0) return [...now, ...was.slice(i)];
    most.left--;
    const fits = old && same(shell(old.block), shell(block));
    const el = fits ? box.children[skip + i] : element(block);
    if (old && !fits) box.children[skip + i].replaceWith(el);
    else if (!old) box.append(el);
    const within = block.type === 'table' ? el.querySelector('tbody') : el;
    const inside = grow(within, blocksIn(block), fits ? old.inside : [], most);
    now.push({ block, inside, whole: most.left > 0 });
  }
  while (box.children.length > skip + list.length) box.lastElementChild?.remove();
  return now;
}

/** @param {any} a @param {any} b */
const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** shell is a block without those in it. @param {Block} b */
const shell = (b) => ({ ...b, blocks: 0, rows: 0 });

/** blocksIn are the blocks in a block; those of a table are its rows. @param {Block} b */
const blocksIn = (b) => b.blocks ?? b.rows?.map((cells) => ({ type: 'row', cells, align: b.align })) ?? [];

/** @type {Record<string, (b: Block) => any>} the elements of blocks, without the blocks in them */
const makers = {
  paragraph: (b) => fill(make('p'), inlines(b.inlines)),
  // The page has its own headings above these.
  heading: (b) => fill(make(`h${Math.min((b.level ?? 1) + 2, 6)}`), inlines(b.inlines)),
  list: (b) => make(b.ordered ? 'ol' : 'ul', { start: b.ordered ? b.start ?? 0 : undefined }),
  item: (b) => make('li', null, typeof b.checked === 'boolean' && (b.checked ? '[done] ' : '[open] ')),
  quote: () => make('blockquote'),
  row: (b) => row('td', b.cells, b.align),
  code,
  table,
  rule: () => make('hr'),
};

/** @param {Block} b */
const element = (b) => (makers[b.type] ?? makers.paragraph)(b);

/** @param {any} el @param {any[]} kids */
function fill(el, kids) {
  el.append(...kids);
  return el;
}

/** @param {Block} b */
function code(b) {
  const text = b.text ?? '';
  return make('div', { class: 'code' },
    h('button', { class: 'small', type: 'button', onclick: copied(() => text) }, 'Copy'),
    h('pre', { tabindex: 0, role: 'group', 'aria-label': b.language ? `Code, ${b.language}` : 'Code' }, h('code', null, text)));
}

/** @param {() => string | Promise<string>} text */
export const copied = (text) => async (/** @type {any} */ event) => {
  const button = event.currentTarget;
  await copy(await text());
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
};

/** @param {Block} b */
function table(b) {
  return make('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' },
    h('table', null, h('thead', null, ready(row('th', b.header, b.align))), h('tbody', null)));
}

/** @param {string} tag @param {Inline[][] | undefined} cells @param {string[] | undefined} align */
function row(tag, cells, align) {
  return fill(make('tr'), (cells ?? []).map((c, i) => fill(make(tag, { class: align?.[i] || undefined, scope: tag === 'th' ? 'col' : undefined }), inlines(c))));
}
