// A screen, what it has read, and what it shows before, without, and after a failure.
import { Problem, reachable } from './api.js';
import { h } from './dom.js';
import { on } from './events.js';
import { change, state } from './store.js';
import { wait } from './words.js';

const slowAfter = 300;

export const broken = 'This page has failed. Reload it; if it fails again, report it as a bug.';

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
    if (!(err instanceof Problem)) {
      console.error(err);
      this.problem = new Problem({ status: -1, code: 'page_error', message: broken });
      return;
    }
    this.problem = err;
    if (err.status === 404 && !err.foreign) this.data = undefined; // it is gone, and so is what was read of it
    if (err.status === 0) reachable().then(() => { if (this.problem === err) this.again(); });
    else if ([429, 503].includes(err.status) && this.tries++ < 3) this.count(err);
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
  const about = [problem.code, problem.requestID && `request ${problem.requestID}`].filter(Boolean).join(', ');
  return h('div', { class: 'trouble', role: 'alert' },
    h('p', null, problem.message),
    problem.status === 403 && problem.code === 'insufficient_scope' && h('p', { class: 'note' }, 'A key with this scope can be made with: hermes keys create NAME --scopes …'),
    about && h('p', { class: 'note mono' }, about),
    until > Date.now() && h('p', { class: 'note' }, `Trying again in ${wait(until - Date.now())}.`),
    again && h('button', { onclick: again }, 'Try again'));
}

/**
 * @template T
 * @param {Source<T>} source @param {(data: T) => Kid} f
 */
export function shown(source, f) {
  const again = () => { source.tries = 0; source.again(); };
  return [
    source.problem && trouble(source.problem, again, source.until),
    source.data !== undefined ? f(source.data) : source.slow && loading(),
  ];
}

/** @param {string} text @param {...Kid} more */
export const empty = (text, ...more) => h('div', { class: 'empty' }, h('p', null, text), ...more);
