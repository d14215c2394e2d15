// A screen: what it has read, what it shows before, without, and after a failure, and the
// shapes in which several screens show things: columns, tables, headings, fields.
import { part, Problem, problemOf, reachable } from './api.js';
import { h } from './dom.js';
import { on } from './events.js';
import { change, state } from './store.js';
import { ago, exact, number, wait } from './words.js';

const slowAfter = 300;

/** @template T */
export class Source {
  /** @param {(signal: AbortSignal) => Promise<T>} read */
  constructor(read) {
    this.read = read;
    /** @type {T | undefined} */
    this.data = undefined;
    /** @type {Problem | null} */
    this.problem = null;
    this.busy = false;
    this.slow = false;
    this.until = 0;
    this.tries = 0;
    this.turn = 0;
    /** @type {AbortController | null} */
    this.stop = null;
  }

  /** again reads anew; what was read stays until then. */
  async again() {
    const turn = ++this.turn;
    this.stop?.abort();
    const stop = (this.stop = new AbortController());
    this.busy = true;
    const timer = setTimeout(() => { if (this.busy && turn === this.turn) { this.slow = true; change(); } }, slowAfter);
    try {
      const data = await this.read(stop.signal);
      if (turn !== this.turn) return undefined;
      this.data = data;
      this.problem = null;
      this.tries = 0;
    } catch (err) {
      if (turn !== this.turn || stop.signal.aborted) return undefined;
      this.fail(err);
    } finally {
      clearTimeout(timer);
      if (turn === this.turn) {
        this.busy = false;
        this.slow = false;
        change();
      }
    }
    return this.data;
  }

  /** @param {unknown} err */
  fail(err) {
    const problem = (this.problem = problemOf(err));
    if (problem.status === 404 && !problem.foreign) this.data = undefined; // it is gone, and so is what was read of it
    if (problem.status === 0) reachable().then(() => { if (this.problem === problem) this.again(); });
    else if ([429, 503].includes(problem.status) && this.tries++ < 3) this.count(problem);
  }

  /** @param {Problem} problem */
  count(problem) {
    this.until = Date.now() + Math.max(problem.retryAfter, 1) * 1000;
    const tick = () => {
      if (this.problem !== problem) return;
      if (Date.now() >= this.until) { this.until = 0; this.again(); return; }
      change();
      setTimeout(tick, 1000);
    };
    tick();
  }

  close() {
    this.turn++;
    this.stop?.abort();
    this.problem = null;
    this.busy = this.slow = false;
  }
}

/** Screen is a place on view. What it reads and what it is told end with it. */
export class Screen {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    /** @type {(() => void)[]} */
    this.ends = [];
  }

  /** @template T @param {(signal: AbortSignal) => Promise<T>} read */
  reads(read) {
    const source = new Source(read);
    this.ends.push(() => source.close());
    return source;
  }

  /** on is told what changes on the server. @param {string[]} types @param {(event: any, type: string) => void} f */
  on(types, f) {
    for (const type of types) this.ends.push(on(type, (event) => f(event, type)));
  }

  title() { return this.name; }

  /** @param {Route} _ */
  go(_) {}

  /** listing reports whether the address names the list. */
  listing() { return state.route.path.length === 0; }

  close() { for (const end of this.ends) end(); }
}

/** plain is a screen that reads nothing. @param {string} name @param {() => Kid} content */
export const plain = (name, content) => Object.assign(new Screen(name), { content });

const loading = () => h('p', { class: 'note loading', role: 'status' }, 'Loading…');

/**
 * @param {Problem} problem @param {(() => void) | null} again @param {number} [until]
 */
export function trouble(problem, again, until = 0) {
  return h('div', { class: 'trouble', role: 'alert' },
    h('p', null, problem.message),
    problem.status === 403 && problem.code === 'insufficient_scope' && h('p', { class: 'note' }, 'A key with this scope can be made with: hermes keys create NAME --scopes …'),
    problem.about && h('p', { class: 'note mono' }, problem.about),
    until > Date.now() && h('p', { class: 'note' }, `Trying again in ${wait(until - Date.now())}.`),
    again && h('button', { onclick: again }, 'Try again'));
}

/** troubled is why a source could not be read. @param {Source<any>} source */
export const troubled = (source) => source.problem && trouble(source.problem, () => { source.tries = 0; source.again(); }, source.until);

/**
 * @template T
 * @param {Source<T>} source @param {(data: T) => Kid} f
 */
export const shown = (source, f) => [troubled(source), source.data !== undefined ? f(source.data) : source.slow && loading()];

/** @param {string} text @param {...Kid} more */
export const empty = (text, ...more) => h('div', { class: 'empty' }, h('p', null, text), ...more);

// Shapes.
/** grid is a table that scrolls in itself. @param {string} label @param {any[]} heads @param {Kid} rows */
export const grid = (label, heads, rows) => h('div', { class: 'across', tabindex: 0, role: 'group', 'aria-label': label }, h('table', { class: 'grid' },
  h('thead', null, h('tr', null, heads.filter(Boolean).map((t) => (t.tag === 'th' ? t : h('th', { scope: 'col' }, t))))), h('tbody', null, rows)));

/** column is what scrolls below the heading of a screen. @param {string} kind @param {...Kid} kids */
export const column = (kind, ...kids) => h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: `column ${kind}` }, kids));

/** @param {Kid} caption @param {Kid} rows */
export const figures = (caption, rows) => h('table', { class: 'figures' }, caption && h('caption', { class: 'unseen' }, caption), h('tbody', null, rows));

/** intro is what a place shows until something is chosen. @param {string} title @param {string} text @param {...Kid} more */
export const intro = (title, text, ...more) => column('', h('h1', null, title), h('p', { class: 'soft' }, text), more);

/** @param {string | number | undefined} key @param {Kid} name @param {...Kid} values */
export const figure = (key, name, ...values) => h('tr', { key }, h('th', { scope: 'row' }, name), values.map((v) => h('td', null, v)));

/** @param {any} key @param {...Kid} values */
export const cells = (key, ...values) => h('tr', { key }, values.map((v) => (/** @type {any} */ (v)?.tag === 'td' ? v : h('td', null, v))));

/** quotes are sentences, each with what is to be said about it. @template T @param {T[]} list @param {(item: T) => Kid} f */
export const quotes = (list, f) => h('ul', { class: 'quotes' }, list.map((item) => h('li', { key: /** @type {any} */ (item).id }, f(item))));

/** @param {string} key @param {string} title @param {() => void} close @param {Kid} kids */
export const panelOf = (key, title, close, kids) => h('div', { class: 'scroll', key },
  h('div', { class: 'panel-head' }, h('h2', null, title), h('button', { class: 'link', onclick: close }, 'Close')), kids);

/**
 * rowOf is a row of a list, of two lines.
 * @param {{href: string, current: boolean, title: Kid, side: Kid, id: Kid, more: Kid}} of
 */
export const rowOf = (of) => h('a', { class: 'row session', href: of.href, 'aria-current': of.current ? 'true' : undefined },
  h('span', { class: 'title' }, of.title), of.side, h('span', { class: 'id' }, of.id), h('span', { class: 'side' }, of.more));

/** @param {string} at */
export const when = (at) => h('time', { class: 'side', datetime: at, title: exact(at) }, ago(at));

/** @param {string} label @param {any} props @param {string} [tag] */
export const field = (label, props, tag = 'input') => h('label', null, label, h(tag, props));

/** finder is a field that looks for something as one types. @param {string} label @param {string} value @param {(to: string) => void} set @param {any} [more] */
export const finder = (label, value, set, more) => h('input', { type: 'search', placeholder: label, 'aria-label': label, value, oninput: (e) => set(e.target.value), ...more });

/** @param {string} text @param {boolean} checked @param {(so: boolean) => void} set */
export const check = (text, checked, set) => h('label', { class: 'check' }, h('input', { type: 'checkbox', checked, onchange: (e) => set(e.target.checked) }), text);

/** @param {[string, string][]} options @param {string} value @param {(to: string) => void} set @param {any} [more] */
export const choice = (options, value, set, more) => h('select', { onchange: (e) => set(e.target.value), ...more },
  options.map(([v, text]) => h('option', { value: v, selected: v === value }, text)));

/** decision are the buttons below a form. @param {(value: undefined) => void} close @param {string} action @param {any} [more] */
export const decision = (close, action, more) => h('div', { class: 'buttons' },
  h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'), h('button', { class: 'primary', ...more }, action));

/** marked is a text with the character at which it cannot be read. @param {string} text @param {number} at */
export function marked(text, at) {
  const chars = [...text];
  return h('p', { class: 'query-error' }, chars.slice(0, at).join(''), h('u', null, chars[at] ?? ' '), chars.slice(at + 1).join(''));
}

/** pairs are names with what they stand for, where there is something. @param {[string, Kid][]} rows */
export const pairs = (rows) => h('dl', { class: 'pairs' }, rows.filter(([, v]) => v).map(([k, v]) => [h('dt', null, k), h('dd', null, v)]));

/** head is the heading of a screen, with the way back to a place on small ones. @param {string} back @param {Kid} title @param {...Kid} more */
export const head = (back, title, ...more) => h('header', { class: 'head' }, back && h('a', { class: 'back', href: `#/${back}` }, '‹ Back'), h('h1', null, title), more);

/** who said a thing: a name, or the role. @param {string} role @param {string} [name] */
export const who = (role, name) => name || (role === 'user' ? 'you' : role === 'assistant' ? 'answer' : role);

/** @param {string} session @param {number} seq @param {string} [more] */
export const place = (session, seq, more = '') => h('a', { href: `#/sessions/${part(session)}/${seq}` }, `message ${number(seq)}${more}`);
