// A window of messages that grows as one scrolls. It is drawn by hand, so that what is read
// stays where it is.
import { get, part } from './api.js';
import { draw, h, make, ready } from './dom.js';
import { element } from './message.js';
import { Source, troubled } from './screen.js';
import { drawNow } from './store.js';
import { weekday } from './words.js';

const page = 50;
const most = 250;
const cut = 20_000;
const near = 900; // pixels from an end of the window

export class Transcript {
  /** @param {Doing} doing @param {() => void} moved */
  constructor(doing, moved) {
    this.doing = doing;
    this.moved = moved;
    /** @type {Message[]} */
    this.rows = [];
    /** @type {Map<number, HTMLElement>} */
    this.els = new Map();
    /** @type {HTMLElement[]} what is no message yet */
    this.tail = [];
    this.before = this.after = this.undone = false;
    this.turn = 0;
    this.source = new Source(async (_) => {});
    this.reading = Promise.resolve();
    this.ol = make('ol', { class: 'transcript', 'aria-label': 'Transcript' });
    this.top = make('div');
    this.el = make('div', { class: 'scroll talk', onscroll: () => this.scrolled(), tabindex: -1 });
    this.el.append(this.top, this.ol);
  }

  /** @param {Record<string, any>} query @param {AbortSignal} [signal] */
  read(query, signal) {
    return get(`api/sessions/${part(this.doing.root)}/messages`,
      { limit: page, format: 'nodes', content_limit: cut, include: this.undone ? 'undone' : '', ...query }, signal);
  }

  /** take reads messages and has them used; what failed is tried again. @param {Record<string, any>} query @param {(found: any) => any} use */
  take(query, use) {
    this.source.read = async (signal) => {
      const found = await this.read(query, signal);
      if (signal.aborted) return;
      draw(this.top);
      await use(found);
    };
    return (this.reading = this.source.again());
  }

  /** ask reads news, again if the view changes. @param {() => any} query @returns {Promise<any>} */
  async ask(query) {
    const { root } = this.doing;
    await this.reading;
    const { turn } = this;
    const found = query() && await this.read(query());
    return turn === this.turn ? found : root === this.doing.root && this.ask(query);
  }

  clear() {
    this.turn++;
    this.source.close();
    this.rows = [];
    this.els.clear();
    this.tail = [];
    this.before = this.after = false;
    this.draw();
  }

  /** open shows the newest messages, or those around a place. @param {number | undefined} seq */
  open(seq) {
    return this.take(seq === undefined ? { order: 'latest' } : { from: Math.max(0, seq - 15) }, (found) => {
      if (seq && found.data.length === 0) return this.open(undefined); // the address names what is not there
      this.turn++;
      this.rows = found.data;
      this.els.clear();
      this.before = seq === undefined ? found.has_more : (found.data[0]?.seq ?? 0) > 0;
      this.after = seq === undefined ? false : found.has_more;
      this.draw();
      if (!this.el.isConnected) drawNow(); // else nothing scrolls
      if (seq === undefined || !this.show(seq)) this.toEnd();
      return undefined;
    });
  }

  /** view says why messages were not read. A missing session says so itself. */
  view() {
    const { problem } = this.source;
    draw(this.top, (problem?.status !== 404 || problem.foreign) && troubled(this.source));
  }

  /** show brings a message into view, if it is here. @param {number} seq */
  show(seq) {
    const row = this.rows.find((m) => m.seq >= seq);
    const el = row && this.els.get(row.seq);
    if (!el) return false;
    this.ol.querySelector('.target')?.classList.remove('target');
    el.classList.add('target');
    this.el.scrollTop += el.getBoundingClientRect().top - this.el.getBoundingClientRect().top - 96;
    el.focus({ preventScroll: true });
    return true;
  }

  /** @param {number} seq */
  async go(seq) {
    const [first, last] = [this.rows[0]?.seq, this.rows.at(-1)?.seq];
    if (first !== undefined && last !== undefined && seq >= first && seq <= last && this.show(seq)) return;
    await this.open(seq);
  }

  get atEnd() { return !this.after && this.el.scrollHeight - this.el.scrollTop - this.el.clientHeight < 48; }

  toEnd() { this.el.scrollTop = this.el.scrollHeight; }

  // keep changes the document, and leaves what is read where it is.
  /** @param {() => void} change */
  keep(change) {
    const end = this.atEnd;
    const top = this.el.getBoundingClientRect().top;
    const anchor = [...this.ol.children].find((li) => li.getBoundingClientRect().bottom > top && li.classList.contains('message'));
    const was = anchor?.getBoundingClientRect().top ?? 0;
    change();
    if (end) this.toEnd();
    else if (anchor?.isConnected) this.el.scrollTop += anchor.getBoundingClientRect().top - was;
  }

  async scrolled() {
    this.moved();
    if (this.source.busy || this.rows.length === 0) return;
    const { scrollTop, scrollHeight, clientHeight } = this.el;
    if (this.before && scrollTop < near) await this.extend(true);
    else if (this.after && scrollHeight - scrollTop - clientHeight < near) await this.extend(false);
  }

  /** @param {boolean} up */
  extend(up) {
    return this.take(up ? { before: this.rows[0].seq } : { from: (this.rows.at(-1)?.seq ?? -1) + 1 }, (found) => {
      if (up) this.before = found.has_more;
      else this.after = found.has_more;
      this.keep(() => this.put(found.data, up));
    });
  }

  /** put adds messages on one side, and takes off the other what is too many. @param {Message[]} rows @param {boolean} up */
  put(rows, up) {
    const known = new Set(this.rows.map((m) => m.seq));
    const fresh = rows.filter((m) => !known.has(m.seq));
    this.turn++;
    this.rows = up ? [...fresh, ...this.rows] : [...this.rows, ...fresh];
    if (this.rows.length > most) {
      if (up) { this.rows = this.rows.slice(0, most); this.after = true; }
      else { this.rows = this.rows.slice(-most); this.before = true; }
    }
    this.draw();
  }

  /** @param {(rows: Message[]) => Message[]} [choose] */
  async fresh(choose = (rows) => rows) {
    const found = await this.ask(() => !this.after && { from: (this.rows.at(-1)?.seq ?? -1) + 1 });
    if (!found) return [];
    this.source.problem = null;
    draw(this.top); // the session may have begun
    const rows = choose(found.data);
    this.keep(() => this.put(rows, false));
    return rows;
  }

  /** again reads what is on view: words of it may be forgotten. */
  async again() {
    const found = await this.ask(() => ({ from: this.rows[0]?.seq ?? 0, limit: this.rows.length + page }));
    if (!found) return;
    const last = this.after ? this.rows.at(-1)?.seq ?? 0 : Infinity;
    const was = new Map(this.rows.map((m) => [m.seq, m.content]));
    for (const m of found.data) if (was.get(m.seq) !== m.content) this.els.delete(m.seq);
    this.rows = [];
    this.keep(() => this.put(found.data.filter((/** @type {Message} */ m) => m.seq <= last), false));
  }

  /** @param {...HTMLElement} els */
  add(...els) {
    this.keep(() => { this.tail = [...this.tail, ...els]; this.draw(); });
  }

  /** drop takes away what has become a message. @param {...HTMLElement} els */
  drop(...els) {
    this.keep(() => { this.tail = this.tail.filter((el) => !els.includes(el)); this.draw(); });
  }

  /** @param {Message} m */
  elementOf(m) {
    const known = this.els.get(m.seq);
    if (known) return known;
    const el = element(m, this.doing);
    this.els.set(m.seq, el);
    return el;
  }

  draw() {
    /** @type {Kid[]} */
    const out = [];
    let [day, session] = ['', this.rows[0]?.session_id];
    for (const m of this.rows) {
      const on = weekday(m.created_at);
      if (on !== day) out.push(h('li', { key: `day ${m.seq}`, class: 'rule' }, h('span', null, on)));
      day = on;
      if (m.session_id !== session) out.push(h('li', { key: `fold ${m.seq}`, class: 'rule fold' }, h('span', null, 'Folded here: models are given a summary of what stands above')));
      session = m.session_id;
      out.push(ready(this.elementOf(m)));
    }
    const kept = new Set(this.rows.map((m) => m.seq));
    for (const seq of this.els.keys()) if (!kept.has(seq)) this.els.delete(seq);
    draw(this.ol, out, this.tail.map(ready));
  }
}
