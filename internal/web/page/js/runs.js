// Turns that go on without their client: the open ones first, and on top what waits for a
// person.
import { get, part, post, remove } from './api.js';
import { Answer } from './answer.js';
import { ask, once, toast } from './dialog.js';
import { h, make, ready } from './dom.js';
import { follow, on } from './events.js';
import { tone } from './jobs.js';
import { empty, shown, Source } from './load.js';
import { head, pairs } from './shape.js';
import { change, say, state } from './store.js';
import { ago, exact, now, number, plural, wait } from './words.js';

const words = /** @type {Record<string, string>} */ ({ waiting_for_approval: 'waits for you' });

class Runs {
  constructor() {
    this.id = '';
    this.end = () => {};
    /** @type {Answer | null} */
    this.answer = null;
    this.open = new Source((signal) => get('v1/runs', { status: 'open', limit: 100 }, signal));
    this.all = new Source((signal) => get('v1/runs', { limit: 50 }, signal));
    this.one = new Source((signal) => get(`v1/runs/${part(this.id)}`, {}, signal));
    this.stops = [on('run', (e) => this.changed(e)), on('approval', (e) => this.changed(e)), on('reset', () => this.read())];
    this.ticking = setInterval(() => { if (this.waiting.length > 0) change(); }, 1000);
    this.read();
  }

  read() {
    this.open.again();
    this.all.again();
  }

  /** @param {any} event */
  changed(event) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), 150);
    if (event.id === this.id) this.one.again();
    if (event.what === 'waiting') say('A call waits for you');
  }

  close() {
    for (const stop of this.stops) stop();
    clearInterval(this.ticking);
    this.end();
    for (const s of [this.open, this.all, this.one]) s.close();
  }

  /** waiting are the calls that wait for a person. @returns {{run: any, call: any}[]} */
  get waiting() { return (this.open.data?.data ?? []).flatMap((/** @type {any} */ run) => run.approvals.map((/** @type {any} */ call) => ({ run, call }))); }

  /** @param {Route} route */
  go(route) {
    const id = route.path[0] ?? '';
    if (id === this.id) return;
    this.id = id;
    this.end();
    this.answer = null;
    this.one.close();
    this.one.data = undefined;
    if (!id) return;
    const answer = (this.answer = new Answer((f) => f()));
    this.box = make('ol', { class: 'transcript', 'aria-label': 'What it says' });
    this.box.append(answer.el);
    this.one.again();
    this.end = follow({
      path: `v1/runs/${part(id)}/events`, query: { format: 'nodes' },
      tell: ({ data }) => {
        if (data.type === 'approval.request') return false; // shown above, with its time
        if (!/^run\.(completed|failed|cancelled|interrupted)$/.test(data.type)) { answer.tell(data); return false; }
        answer.end(data.error?.message ?? '');
        this.one.again();
        return true;
      },
    });
  }

  /** @param {boolean} alone */
  list(alone) {
    const opened = new Set((this.open.data?.data ?? []).map((/** @type {any} */ r) => r.run_id));
    return [
      alone && h('h1', { class: 'list-title' }, 'Runs'),
      h('div', { class: 'scroll' },
        this.waiting.length > 0 && h('section', { class: 'column', 'aria-label': 'What waits for you' }, this.waiting.map(({ run, call }) => this.approval(run, call))),
        shown(this.open, ({ data }) => h('ul', null, data.map((/** @type {any} */ r) => h('li', { key: r.run_id }, this.row(r))))),
        shown(this.all, ({ data }) => (data.length === 0 && opened.size === 0 ? empty('Turns that go on without their client will be listed here. What you say on this page is one of them.')
          : h('ul', null, data.filter((/** @type {any} */ r) => !opened.has(r.run_id)).map((/** @type {any} */ r) => h('li', { key: r.run_id }, this.row(r))))))),
    ];
  }

  /** @param {any} r */
  row(r) {
    return h('a', { class: 'row session', href: `#/runs/${part(r.run_id)}`, 'aria-current': r.run_id === this.id ? 'true' : undefined },
      h('span', { class: 'title' }, r.output?.slice(0, 80) || r.error?.message || r.session_id), h('time', { class: 'side', datetime: r.created_at, title: exact(r.created_at) }, ago(r.created_at)),
      h('span', { class: 'id mono' }, r.session_id), h('span', { class: 'side' }, h('span', { class: tone(r.status) }, words[r.status] ?? r.status)));
  }

  /** approval is a call that waits, with all of its arguments. @param {any} run @param {any} call */
  approval(run, call) {
    const left = new Date(call.deadline).getTime() - now();
    const decide = (/** @type {boolean} */ approve) => once(() => post(`v1/runs/${part(run.run_id)}/approval`, { approve, call_id: call.call_id })
      .then(() => toast(approve ? `${call.name} was approved.` : `${call.name} was denied.`)).finally(() => this.read()));
    return h('div', { key: call.call_id, class: 'approval' },
      h('h2', null, call.name, ' waits for you'),
      h('pre', { tabindex: 0 }, typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments, null, 2)),
      h('p', { class: 'note' }, left > 0 ? `Denied by itself in ${wait(left)}, at ${exact(call.deadline)}.` : 'Its time is over: it counts as denied.'),
      left > 0 && h('div', { class: 'buttons' }, h('button', { onclick: decide(true) }, 'Approve'), h('button', { onclick: decide(false) }, 'Deny')));
  }

  content() {
    if (!this.id) return h('div', { class: 'scroll' }, h('div', { class: 'column start' }, h('h1', null, 'Runs'), h('p', { class: 'soft' }, this.waiting.length > 0 ? `${plural(this.waiting.length, 'call')} ${this.waiting.length === 1 ? 'waits' : 'wait'} for you.` : 'Choose a run to see what it says and what it has done.')));
    return [
      head('runs', ['Run ', h('span', { class: 'mono' }, this.id)], this.one.data && this.buttons(this.one.data)),
      h('div', { class: 'scroll' }, shown(this.one, (r) => [h('div', { class: 'column' }, about(r), r.approvals.map((/** @type {any} */ call) => this.approval(r, call)), r.error && h('p', { class: 'bad' }, r.error.message))]), this.box && ready(this.box)),
    ];
  }

  /** @param {any} r */
  buttons(r) {
    const stop = once(() => post(`v1/runs/${part(r.run_id)}/stop`).then(() => this.one.again()));
    const erase = once(async () => {
      if (!(await ask({ title: 'Delete this run?', action: 'Delete the run', danger: true, text: 'The run and its log go. Its messages stay in the session.' }))) return;
      await remove(`v1/runs/${part(r.run_id)}`);
      location.hash = '#/runs';
      this.read();
    });
    return [!r.finished_at && h('button', { key: 'stop', onclick: stop }, 'Stop'), h('button', { key: 'delete', onclick: erase }, 'Delete…')];
  }
}

/** @param {any} r */
function about(r) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['status', h('span', { class: tone(r.status) }, words[r.status] ?? r.status)], ['session', h('a', { href: `#/sessions/${part(r.lineage_root_id ?? r.session_id)}` }, r.session_id)],
    ['model', r.model], ['begun', exact(r.started_at ?? r.created_at)], ['over', r.finished_at && exact(r.finished_at)], ['attempts', r.attempts > 1 && number(r.attempts)],
    ['after a restart', r.on_restart === 'interrupt' ? 'ends' : 'begins anew'],
  ]);
  return pairs(rows);
}

export function open() {
  const runs = new Runs();
  return {
    title: () => 'Runs',
    listing: () => state.route.path.length === 0,
    list: (/** @type {boolean} */ alone) => runs.list(alone),
    content: () => runs.content(),
    go: (/** @type {Route} */ r) => { runs.go(r); },
    close: () => runs.close(),
  };
}
