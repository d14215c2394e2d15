// Turns that go on without their client: the open ones first, and on top what waits for a
// person. And what waits for turns.
import { get, part, post, remove } from './api.js';
import { Answer, approval, over } from './answer.js';
import { ask, dialog, once } from './dialog.js';
import { h, make, ready } from './dom.js';
import { follow } from './events.js';
import { tone } from './jobs.js';
import { empty, head, intro, pairs, rowOf, Screen, shown, Source, when } from './screen.js';
import { calm, change, say } from './store.js';
import { exact, number, plural } from './words.js';

const words = /** @type {Record<string, string>} */ ({ waiting_for_approval: 'waits for you' });

class Runs extends Screen {
  constructor() {
    super('Runs');
    this.id = '';
    this.end = () => {};
    this.open = this.reads((signal) => get('v1/runs', { status: 'open', limit: 100 }, signal));
    this.all = this.reads((signal) => get('v1/runs', { limit: 50 }, signal));
    this.one = this.reads((signal) => get(`v1/runs/${part(this.id)}`, {}, signal));
    this.soon = calm(() => this.read());
    this.on(['run', 'approval', 'reset'], (e) => this.changed(e));
    this.ticking = setInterval(() => { if (this.waiting.length > 0) change(); }, 1000);
    this.read();
  }

  read() {
    this.open.again();
    this.all.again();
  }

  /** @param {any} event */
  changed(event) {
    this.soon();
    if (event.id === this.id) this.one.again();
    if (event.what === 'waiting') say('A call waits for you');
  }

  close() {
    super.close();
    clearInterval(this.ticking);
    this.end();
  }

  /** waiting are the calls that wait for a person. @returns {{run: any, call: any}[]} */
  get waiting() { return (this.open.data?.data ?? []).flatMap((/** @type {any} */ run) => run.approvals.map((/** @type {any} */ call) => ({ run, call }))); }

  /** @param {Route} route */
  go(route) {
    const id = route.path[0] ?? '';
    if (id === this.id) return;
    this.id = id;
    this.end();
    this.one.close();
    this.one.data = undefined;
    if (!id) return;
    const answer = new Answer((f) => f());
    answer.request = () => {}; // shown above, with its time
    this.box = make('ol', { class: 'transcript', 'aria-label': 'What it says' });
    this.box.append(answer.el);
    this.one.again();
    this.end = follow({
      path: `v1/runs/${part(id)}/events`, query: { format: 'nodes' },
      tell: ({ data }) => {
        if (!over(data)) { answer.tell(data); return false; }
        answer.end(data.error?.message ?? '');
        this.one.again();
        return true;
      },
    });
  }

  list() {
    const opened = new Set((this.open.data?.data ?? []).map((/** @type {any} */ r) => r.run_id));
    const rows = (/** @type {any[]} */ list) => h('ul', null, list.map((r) => h('li', { key: r.run_id }, this.row(r))));
    return [
      h('div', { class: 'scroll' },
        this.waiting.length > 0 && h('section', { class: 'column', 'aria-label': 'What waits for you' }, this.waiting.map(({ run, call }) => approval(run.run_id, call, () => this.read()))),
        shown(this.open, ({ data }) => rows(data)),
        shown(this.all, ({ data }) => (data.length === 0 && opened.size === 0 ? empty('Turns that go on without their client will be listed here. What you say on this page is one of them.')
          : rows(data.filter((/** @type {any} */ r) => !opened.has(r.run_id)))))),
    ];
  }

  /** @param {any} r */
  row(r) {
    return rowOf({
      href: `#/runs/${part(r.run_id)}`, current: r.run_id === this.id, title: r.output?.slice(0, 80) || r.error?.message || r.session_id,
      side: when(r.created_at), id: h('span', { class: 'mono' }, r.session_id), more: status(r),
    });
  }

  content() {
    if (!this.id) return intro(this.name, this.waiting.length > 0 ? `${plural(this.waiting.length, 'call')} ${this.waiting.length === 1 ? 'waits' : 'wait'} for you.` : 'Choose a run to see what it says and what it has done.');
    return [
      head('runs', 'Run', h('p', { class: 'meta mono' }, this.id), this.one.data && this.buttons(this.one.data)),
      h('div', { class: 'scroll' }, shown(this.one, (r) => [h('div', { class: 'column' }, about(r), r.approvals.map((/** @type {any} */ call) => approval(r.run_id, call, () => this.read())), r.error && h('p', { class: 'bad' }, r.error.message))]), this.box && ready(this.box)),
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

/**
 * patient does what waits for turns under way, and meanwhile says for which. Whoever closes
 * that goes on elsewhere.
 * @template T @param {() => Promise<T>} act @param {(run: any) => boolean} of the runs it waits for
 */
export async function patient(act, of) {
  const runs = new Source((signal) => get('v1/runs', { status: 'open', limit: 100 }, signal));
  const again = () => { runs.again(); };
  const timer = setInterval(again, 1000);
  let end = (/** @type {any} */ _) => {};
  dialog('Forgetting', (close) => {
    end = close;
    return [waits(runs.data?.data.filter(of) ?? [], again, close),
      h('div', { class: 'buttons' }, h('button', { onclick: close }, 'Close, and let it go on'))];
  }, { wide: true });
  try {
    return await act();
  } finally {
    clearInterval(timer);
    runs.close();
    end(undefined);
  }
}

/** waits are the turns that something waits for, and what ends them. @param {any[]} list @param {() => void} again @param {(v: any) => void} close */
const waits = (list, again, close) => h('section', { class: 'stack', 'aria-label': 'What it waits for' },
  h('p', { role: 'status' }, list.length > 0 ? `It waits for ${plural(list.length, 'turn')} under way, whose answer could bring back what goes:`
    : 'Erasing. If this takes long, it waits for a turn of a job or of another program.'),
  list.map((r) => h('section', { key: r.run_id, class: 'stack' },
    h('p', null, h('a', { href: `#/runs/${part(r.run_id)}`, onclick: close }, `The turn in ${r.session_id}`), ' ', status(r)),
    r.approvals.map((/** @type {any} */ call) => approval(r.run_id, call, again)),
    h('button', { onclick: once(() => post(`v1/runs/${part(r.run_id)}/stop`).then(again)) }, 'Stop this turn'))));

/** @param {any} r */
const status = (r) => h('span', { class: tone(r.status) }, words[r.status] ?? r.status);

/** @param {any} r */
function about(r) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['status', status(r)], ['session', h('a', { href: `#/sessions/${part(r.lineage_root_id ?? r.session_id)}` }, r.session_id)],
    ['model', r.model], ['begun', exact(r.started_at ?? r.created_at)], ['over', r.finished_at && exact(r.finished_at)], ['attempts', r.attempts > 1 && number(r.attempts)],
    ['after a restart', r.on_restart === 'interrupt' ? 'ends' : 'begins anew'],
  ]);
  return pairs(rows);
}

export const open = () => new Runs();
