// An answer as it comes: the regions of its text, the calls of tools, and what waits for
// a person. Finished regions are drawn once; the last one is drawn as it grows.
import { post, part } from './api.js';
import { once, toast } from './dialog.js';
import { h, make } from './dom.js';
import { gutter, ran, toolLine, unlabel } from './message.js';
import { grow } from './nodes.js';
import { exact, now, visible, wait } from './words.js';

// atOnce is how many blocks are put into the document in one frame.
const atOnce = 200;

export class Answer {
  /** @param {(change: () => void) => void} grow draws, and keeps the place @param {string} [note] what is special about it */
  constructor(grow, note) {
    this.grow = grow;
    this.note = note;
    this.started = false;
    /** @type {any[]} */
    this.waiting = [];
    /** @type {Map<number, Region>} */
    this.regions = new Map();
    /** @type {Set<Region>} whose nodes are yet to be drawn */
    this.fresh = new Set();
    /** @type {Map<string, HTMLElement>} */
    this.calls = new Map();
    /** @type {Map<string, any>} what was asked of a person, by call */
    this.asked = new Map();
    this.words = make('div', { class: 'words' });
    this.body = make('div', { class: 'body' });
    this.state = make('p', { class: 'note' }, 'Answering…');
    this.el = make('li', { class: `message assistant coming${note ? ' apart' : ''}` });
    this.el.append(gutter('Answer', undefined), this.body);
    if (note) this.body.append(make('p', { class: 'note' }, note));
    this.body.append(this.words, this.state);
  }

  reset() {
    this.waiting = [];
    this.regions.clear();
    this.fresh.clear();
    this.calls.clear();
    this.words.replaceChildren();
    this.state.textContent = 'Answering…';
  }

  /** tell takes an event of the run. What comes together is drawn together. @param {any} event */
  tell(event) {
    this.waiting.push(event);
    if (this.waiting.length > 1) return;
    const go = () => this.flush();
    if (document.hidden) setTimeout(go);
    else requestAnimationFrame(go);
  }

  flush() {
    const events = this.waiting;
    this.waiting = [];
    if (events.length === 0) return;
    this.grow(() => {
      for (const e of events) this.apply(e);
      const most = { left: atOnce };
      for (const at of this.fresh) this.step(at, most);
      this.fresh.clear();
    });
  }

  /** @param {any} event */
  apply(event) {
    switch (event.type) {
      case 'run.started': return this.reset();
      case 'message.delta':
        for (const b of event.blocks ?? []) this.region(b);
        if (event.content) this.region({ block: 0, append: event.content });
        return undefined;
      case 'tool.started': return this.call(event, `${event.name}, running`);
      case 'tool.completed': return this.call(event, ran(event));
      case 'approval.request':
        this.waits(true);
        this.asked.set(event.call_id, event);
        return this.request(event);
      case 'approval.resolved':
        this.waits(false);
        return this.resolved({ ...this.asked.get(event.call_id), ...event });
      default: return undefined;
    }
  }

  /** @param {any} b */
  region(b) {
    let at = this.regions.get(b.block);
    if (!at) {
      at = { el: make('div', { class: 'region' }), list: [], drawn: [], next: 0 };
      this.regions.set(b.block, at);
      this.words.append(at.el);
    }
    if (!b.nodes) { this.plain(at, b); return; }
    const { nodes, recall } = unlabel(b.nodes);
    if (recall) this.name('Recall');
    if (at.drawn.length === 0) at.el.replaceChildren();
    at.el.classList.remove('plain');
    at.list = nodes;
    this.fresh.add(at);
  }

  // plain shows a text that has no nodes. Each part of whole lines has an element of its own:
  // the browser then lays out only the last one.
  /** @param {Region} at @param {any} b */
  plain(at, b) {
    if (b.append === undefined || at.drawn.length > 0) {
      at.el.replaceChildren();
      at.drawn = [];
    }
    this.fresh.delete(at);
    at.el.classList.add('plain');
    const text = visible(b.append ?? b.text ?? '');
    const end = text.lastIndexOf('\n') + 1;
    (at.el.lastElementChild ?? add(at.el)).append(text.slice(0, end || undefined));
    if (end > 0) add(at.el).append(text.slice(end));
  }

  /** step draws what fits into a frame, and leaves the rest for the next ones. @param {Region} at @param {{left: number}} most */
  step(at, most) {
    at.drawn = grow(at.el, at.list, at.drawn, most);
    cancelAnimationFrame(at.next);
    if (most.left > 0) return;
    at.next = requestAnimationFrame(() => { if (at.el.isConnected) this.grow(() => this.step(at, { left: atOnce })); });
  }

  /** @param {string} who */
  name(who) {
    const at = this.el.querySelector('.who');
    if (at) at.textContent = who;
  }

  /** @param {any} event @param {string} line */
  call(event, line) {
    const before = this.calls.get(event.call_id);
    const text = event.arguments === undefined ? before?.querySelector('pre')?.textContent ?? '' : plain(event.arguments);
    const el = toolLine(line, text);
    if (before) before.replaceWith(el);
    else this.words.append(el);
    this.calls.set(event.call_id, el);
  }

  /** waits says whether a person is waited for. @param {boolean} so */
  waits(so) {
    this.state.textContent = so ? 'Waiting for you' : 'Answering…';
    this.el.classList.toggle('waits', so);
  }

  /** @param {any} event */
  request(event) {
    const el = make('div', null, approval(event.run_id, event));
    this.calls.get(event.call_id)?.remove();
    this.calls.set(event.call_id, el);
    this.words.append(el);
  }

  /** @param {any} event */
  resolved(event) {
    const says = event.reason === 'approved' || event.reason === 'denied' ? event.reason : `denied, ${event.reason}`;
    this.call(event, `${event.name ?? 'A tool'}: ${says}`);
  }

  /** @param {string} text */
  end(text) {
    this.flush();
    this.el.classList.remove('coming');
    this.state.textContent = text;
  }
}

/** over reports whether an event is a run's last. @param {any} event */
export const over = (event) => /^run\.(completed|failed|cancelled|interrupted)$/.test(event.type);

/**
 * approval is a call that waits for a person, with all of its arguments. With done, it is drawn
 * anew as time goes by.
 * @param {string} run @param {any} call @param {() => void} [done]
 */
export function approval(run, call, done) {
  const decide = (/** @type {boolean} */ approve) => once(() => post(`v1/runs/${part(run)}/approval`, { approve, call_id: call.call_id })
    .then(() => toast(`${call.name} was ${approve ? 'approved' : 'denied'}.`)).finally(done));
  const left = new Date(call.deadline).getTime() - now();
  return h('div', { key: call.call_id, class: 'approval' },
    h('p', null, h('strong', null, call.name), ' waits for you. ', left > 0 ? `Denied by itself ${done ? `in ${wait(left)}, ` : ''}at ${exact(call.deadline)}.` : 'Its time is over: it counts as denied.'),
    h('pre', { tabindex: 0 }, plain(call.arguments)),
    left > 0 && h('div', { class: 'buttons' }, h('button', { onclick: decide(true) }, 'Approve'), h('button', { onclick: decide(false) }, 'Deny')));
}

/** @param {any} value */
const plain = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** @param {Element} box */
const add = (box) => box.appendChild(make('div'));
