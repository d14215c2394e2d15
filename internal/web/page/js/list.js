// A list of rows of one height, of which only those on view are in the document.
import { once } from './dialog.js';
import { draw, h, make } from './dom.js';
import { change } from './store.js';

const spare = 8; // rows above and below what is seen

/** @template T */
export class Rows {
  /**
   * @param {object} of
   * @param {number} of.height of a row, in pixels
   * @param {(item: T) => string} of.key
   * @param {(item: T) => Kid} of.row
   * @param {() => void} [of.more] called near the end
   */
  constructor({ height, key, row, more }) {
    this.height = height;
    this.key = key;
    this.row = row;
    this.more = more;
    /** @type {T[]} */
    this.items = [];
    this.whole = true;
    this.ul = make('ul', { class: 'window' });
    this.el = make('div', { class: 'scroll rows', onscroll: () => this.draw() });
    this.el.append(this.ul);
    new ResizeObserver(() => this.draw()).observe(this.el);
  }

  /** @param {T[]} items @param {boolean} whole whether these are all */
  set(items, whole) {
    this.items = items;
    this.whole = whole;
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.el;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - spare);
    const last = Math.min(this.items.length, Math.ceil((scrollTop + clientHeight) / this.height) + spare);
    const size = this.whole ? this.items.length : -1;
    this.ul.style.setProperty('height', `${this.items.length * this.height}px`);
    draw(this.ul, this.items.slice(first, last).map((item, i) => h('li', {
      key: this.key(item), 'aria-setsize': size, 'aria-posinset': first + i + 1,
      css: { transform: `translateY(${(first + i) * this.height}px)`, height: `${this.height}px` },
    }, this.row(item))));
    if (!this.whole && last > this.items.length - 20) this.more?.();
  }

  top() { this.el.scrollTop = 0; }
}

/**
 * Pages are the items of a list that the server gives in pages.
 * @template T
 */
export class Pages {
  /**
   * @param {(cursor: string | undefined, signal: AbortSignal) => Promise<Paged<T>>} read
   * @param {(item: T) => string} key
   */
  constructor(read, key) {
    this.read = read;
    this.key = key;
    /** @type {T[]} */
    this.items = [];
    /** @type {string | undefined} */
    this.cursor = undefined;
    this.whole = false;
    this.adding = false;
  }

  /** first reads the first page, in front of what is there already. @param {AbortSignal} signal @param {boolean} anew */
  async first(signal, anew) {
    const page = await this.read(undefined, signal);
    if (anew || !page.has_more || this.items.length <= page.data.length) this.take(page, []);
    else {
      const fresh = new Set(page.data.map(this.key));
      this.items = [...page.data, ...this.items.filter((item) => !fresh.has(this.key(item)))];
    }
    return page;
  }

  /** @param {Paged<T>} page @param {T[]} before */
  take(page, before) {
    const known = new Set(before.map(this.key));
    this.items = [...before, ...page.data.filter((item) => !known.has(this.key(item)))];
    this.cursor = page.next_cursor ?? undefined;
    this.whole = !page.has_more;
  }

  /** next reads the next page. */
  async next() {
    if (this.whole || this.adding) return false;
    this.adding = true;
    const before = this.items;
    try {
      const page = await this.read(this.cursor, new AbortController().signal);
      if (before === this.items) this.take(page, before);
    } finally {
      this.adding = false;
    }
    return true;
  }
}

/** more is the button that reads the next page, if there is one. @param {Pages<any>} pages @returns {Kid} */
export const more = (pages) => !pages.whole && h('p', null, h('button', { onclick: once(async () => { await pages.next(); change(); }) }, 'More'));
