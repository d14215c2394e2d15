// Lists: their pages, and rows of one height, of which only those on view are in the document.
import { get, reachable } from './api.js';
import { once } from './dialog.js';
import { draw, h, make, ready } from './dom.js';
import { empty, shown, Source } from './screen.js';
import { calm, change } from './store.js';

const spare = 8; // rows above and below what is seen

/** @template T */
class Rows {
  /** @param {{height: number, key: (item: T) => string, row: (item: T) => Kid, more?: () => void}} of height of a row in pixels; more is called near the end */
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
   * @param {(cursor: string | undefined, signal?: AbortSignal) => Promise<Paged<T>>} read
   * @param {(item: T) => any} key
   */
  constructor(read, key) {
    this.read = read;
    this.key = key;
    /** @type {T[]} */
    this.items = [];
    /** @type {string | undefined} */
    this.cursor = undefined;
    this.whole = this.adding = false;
    this.anew = true;
    this.source = new Source((signal) => this.first(signal));
  }

  close() { this.source.close(); }

  /** again reads the first page: in place of what is there, or in front of it. */
  again(anew = true) {
    this.anew ||= anew;
    return this.source.again();
  }

  /** @param {AbortSignal} signal */
  async first(signal) {
    const page = await this.read(undefined, signal);
    if (this.anew || !page.has_more || this.items.length <= page.data.length) this.take(page, []);
    else {
      const fresh = new Set(page.data.map(this.key));
      this.items = [...page.data, ...this.items.filter((item) => !fresh.has(this.key(item)))];
    }
    this.anew = false;
    return page;
  }

  /** @param {Paged<T>} page @param {T[]} before */
  take(page, before) {
    const known = new Set(before.map(this.key));
    this.items = [...before, ...page.data.filter((item) => !known.has(this.key(item)))];
    this.cursor = page.next_cursor ?? undefined;
    this.whole = !page.has_more;
  }

  async next() {
    if (this.whole || this.adding || this.anew) return false;
    this.adding = true;
    const before = this.items;
    try {
      const page = await this.read(this.cursor);
      if (before === this.items) this.take(page, before);
    } finally {
      reachable().then(() => { this.adding = false; }); // drawing asks for more
    }
    return true;
  }
}

/** @param {Pages<any>} pages */
export const more = (pages) => !pages.whole && h('p', null, h('button', { onclick: once(async () => { await pages.next(); change(); }) }, 'More'));

/** Listing is a list of rows that is read in pages as one scrolls, and looked through with a field. */
export class Listing {
  /** @param {string} path @param {(item: any) => string} key @param {(item: any) => Kid} row */
  constructor(path, key, row) {
    this.filter = /** @type {Record<string, string>} */ ({ q: '' });
    this.pages = new Pages((cursor, signal) => get(path, { ...this.filter, limit: 100, cursor }, signal), key);
    this.rows = new Rows({ height: 58, key, row, more: () => this.more() });
    this.soon = calm(() => this.again());
    this.sought = calm(() => { this.rows.top(); this.again(true); }, 120);
    this.again();
  }

  close() { this.pages.close(); }

  again(anew = false) { this.pages.again(anew); }

  async more() {
    if (await this.pages.next().catch(() => false)) change(); // scrolling further asks again
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    this.filter = { ...this.filter, [name]: value };
    this.sought();
    change();
  }

  /** view is what was found, or why there is nothing. @param {string} none */
  view(none) {
    this.rows.set(this.pages.items, this.pages.whole);
    return [
      shown(this.pages.source, () => this.pages.items.length === 0 && empty(Object.values(this.filter).some(Boolean) ? 'Nothing matches.' : none)),
      ready(this.rows.el),
    ];
  }
}
