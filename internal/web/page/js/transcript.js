// A transcript: a window of messages that grows on both sides as one scrolls. It is
// drawn by hand, so that what is read stays where it is.
import { get, part, reachable } from './api.js';
import { draw, h, make, ready } from './dom.js';
import { element } from './message.js';
import { trouble } from './screen.js';
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
    /** @type {HTMLElement[]} what is not yet a message: what was just said, and the answer as it comes */
    this.tail = [];
    this.before = this.after = this.undone = this.busy = false;
    this.turn = this.tries = 0;
    /** @type {any} */
    this.problem = null;
    this.ol = make('ol', { class: 'transcript', 'aria-label': 'Transcript' });
    this.top = make('div');
    this.el = make('div', { class: 'scroll talk', onscroll: () => this.scrolled(), tabindex: -1 });
    this.el.append(this.top, this.ol);
  }

  /** @param {Record<string, any>} query */
  read(query) {
    return get(`api/sessions/${part(this.doing.root)}/messages`,
      { limit: page, format: 'nodes', content_limit: cut, include: this.undone ? 'undone' : '', ...query });
  }

  clear() {
    this.turn++;
    this.problem = null;
    draw(this.top);
    this.rows = [];
    this.els.clear();
    this.tail = [];
    this.before = this.after = false;
    this.draw();
  }

  /** open shows the newest messages, or those around a place. @param {number | undefined} seq */
  async open(seq) {
    const turn = ++this.turn;
    this.problem = null;
    try {
      const found = await this.read(seq === undefined ? { order: 'latest' } : { from: Math.max(0, seq - 15) });
      if (turn !== this.turn) return;
      if (seq && found.data.length === 0) { await this.open(undefined); return; } // the address names what is not there
      this.tries = 0;
      draw(this.top);
      this.rows = found.data;
      this.els.clear();
      this.before = seq === undefined ? found.has_more : (found.data[0]?.seq ?? 0) > 0;
      this.after = seq === undefined ? false : found.has_more;
      this.draw();
      if (seq === undefined || !this.show(seq)) this.toEnd();
    } catch (err) {
      if (turn === this.turn) this.fail(err, () => this.open(seq));
    }
  }

  /** fail shows a failure, and tries again where waiting helps. @param {any} err @param {() => void} again */
  fail(err, again) {
    this.problem = err;
    const retry = () => { this.problem = null; draw(this.top); again(); };
    const wait = [429, 503].includes(err.status) && this.tries++ < 3;
    const until = wait ? Date.now() + Math.max(err.retryAfter, 1) * 1000 : 0;
    const show = () => {
      if (this.problem !== err) return;
      if (until && Date.now() >= until) { retry(); return; }
      draw(this.top, (err.status !== 404 || err.foreign) && trouble(err, retry, until)); // the session itself says that it is not there
      if (until) setTimeout(show, 1000);
    };
    show();
    if (err.status === 0) reachable().then(() => { if (this.problem === err) retry(); });
  }

  /** show brings a message into view, if it is here. @param {number} seq */
  show(seq) {
    const row = this.rows.find((m) => m.seq >= seq);
    const el = row && this.els.get(row.seq);
    if (!el) return false;
    for (const other of this.ol.querySelectorAll('.target')) other.classList.remove('target');
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
    if (this.busy || this.rows.length === 0) return;
    const { scrollTop, scrollHeight, clientHeight } = this.el;
    if (this.before && scrollTop < near) await this.extend(true);
    else if (this.after && scrollHeight - scrollTop - clientHeight < near) await this.extend(false);
  }

  /** @param {boolean} up */
  async extend(up) {
    const turn = this.turn;
    this.busy = true;
    try {
      const found = await this.read(up ? { before: this.rows[0].seq } : { from: (this.rows.at(-1)?.seq ?? -1) + 1 });
      if (turn !== this.turn) return;
      if (up) this.before = found.has_more;
      else this.after = found.has_more;
      this.keep(() => this.put(found.data, up));
    } catch (err) {
      if (turn === this.turn) this.fail(err, () => this.extend(up));
    } finally {
      this.busy = false;
    }
  }

  /** put adds messages on one side, and takes as many off the other as are too many. @param {Message[]} rows @param {boolean} up */
  put(rows, up) {
    const known = new Set(this.rows.map((m) => m.seq));
    const fresh = rows.filter((m) => !known.has(m.seq));
    this.rows = up ? [...fresh, ...this.rows] : [...this.rows, ...fresh];
    if (this.rows.length > most) {
      if (up) { this.rows = this.rows.slice(0, most); this.after = true; }
      else { this.rows = this.rows.slice(-most); this.before = true; }
    }
    this.draw();
  }

  /** @param {(rows: Message[]) => Message[]} [choose] */
  async fresh(choose = (rows) => rows) {
    if (this.after) return [];
    const turn = this.turn;
    const found = await this.read({ from: (this.rows.at(-1)?.seq ?? -1) + 1 });
    if (turn !== this.turn) return [];
    this.problem = null;
    draw(this.top); // a session that was not there has begun
    const rows = choose(found.data);
    this.keep(() => this.put(rows, false));
    return rows;
  }

  /** again reads once more what is on view: words of it may have been forgotten. */
  async again() {
    const turn = this.turn;
    const last = this.after ? this.rows.at(-1)?.seq ?? 0 : Infinity;
    const found = await this.read({ from: this.rows[0]?.seq ?? 0, limit: this.rows.length + page });
    if (turn !== this.turn) return;
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
