// What runs when nobody looks: the jobs, one of them, and what failed of all.
import { get, part, patch, post, problemOf, remove } from './api.js';
import { ask, dialog, once, toast } from './dialog.js';
import { h } from './dom.js';
import { cells, choice, column, empty, field, grid, head, intro, marked, pairs, rowOf, Screen, shown, Source, trouble } from './screen.js';
import { copied } from './nodes.js';
import { calm, change, state } from './store.js';
import { ago, exact, inZone, now, number, ownZone, plural, wait } from './words.js';

const late = 90_000; // milliseconds after which a job is overdue

/** @param {any} j */
const overdue = (j) => j.enabled && j.next_run_at && now() - new Date(j.next_run_at).getTime() > late;

class Jobs extends Screen {
  constructor() {
    super('Jobs');
    this.id = '';
    this.editing = false;
    /** @type {any} the form on view */
    this.form = null;
    this.all = this.reads((signal) => get('api/jobs', {}, signal));
    this.ledger = this.reads((signal) => get(`api/jobs/${part(this.id)}/runs`, { limit: 50 }, signal));
    this.next = this.reads((signal) => (this.job ? preview(this.job, signal) : Promise.resolve({ next: [] })));
    this.failures = this.reads((signal) => this.readFailures(signal));
    this.keys = { n: () => { location.hash = '#/jobs/new'; }, e: () => { if (this.job) location.hash = `${address(this.job)}/edit`; } };
    this.on(['job', 'reset'], () => this.read());
    this.on(['job_run'], (e) => this.ran(e));
    this.read();
  }

  title() { return this.job?.name ?? this.name; }

  // read reads the jobs, and then when the one on view is due.
  async read() {
    await this.all.again();
    this.next.again();
  }

  /** @param {any} event */
  ran(event) {
    this.read();
    if (event.id === this.id) this.ledger.again();
    if (this.id === 'failed') this.failures.again();
  }

  /** @param {AbortSignal} signal */
  async readFailures(signal) {
    const since = new Date(now() - 7 * 864e5).toISOString();
    const pages = await Promise.all(['failed', 'skipped', 'lost'].map((status) => get('api/jobs/runs', { status, since, limit: 100 }, signal)));
    return pages.flatMap((p) => p.data).sort((a, b) => b.due_at.localeCompare(a.due_at));
  }

  get job() { return this.all.data?.data.find((/** @type {any} */ j) => j.id === this.id); }

  /** @param {Route} route */
  go(route) {
    const [id = '', edit] = route.path;
    this.editing = id === 'new' || edit === 'edit';
    if (!this.editing || this.form?.id !== id) this.form = null;
    if (id === this.id) return;
    this.id = id;
    this.ledger.close();
    this.ledger.data = this.next.data = undefined;
    if (id === 'failed') this.failures.again();
    else if (id && id !== 'new') {
      this.ledger.again();
      if (this.job) this.next.again();
    }
  }

  // edited is the form for the job on view, once that was read.
  edited() {
    if (this.form || !this.editing || (this.id !== 'new' && !this.job)) return this.form;
    this.form = jobForm(this.id === 'new' ? null : this.job, async (job) => { await this.read(); location.hash = address(job); });
    return this.form;
  }

  list() {
    return [
      h('div', { class: 'finder' }, h('a', { class: 'button', href: '#/jobs/new' }, 'New job'), h('a', { class: 'button', href: '#/jobs/failed' }, 'Failed and skipped')),
      h('div', { class: 'scroll' }, shown(this.all, ({ data }) => (data.length === 0
        ? empty('Jobs will be listed here: prompts that are said at a time, such as “every weekday 9am”. Make one with New job.')
        : h('ul', null, data.map((/** @type {any} */ j) => h('li', { key: j.id }, this.row(j))))))),
    ];
  }

  /** @param {any} j */
  row(j) {
    const next = !j.enabled ? j.state : overdue(j) ? '' : j.next_run_at ? ago(j.next_run_at) : 'no next time';
    return rowOf({
      href: address(j), current: j.id === this.id, title: j.name, id: j.schedule,
      side: h('span', { class: 'side' }, overdue(j) ? h('span', { class: 'loud' }, `overdue since ${ago(j.next_run_at)}`) : next),
      more: j.last_status && h('span', { class: tone(j.last_status) }, j.last_status),
    });
  }

  content() {
    const form = this.edited();
    if (form) return [head('jobs', form.title), form.view()];
    if (this.id === 'failed') return [head('jobs', 'Failed and skipped in the last 7 days'), column('wide', shown(this.failures, (rows) => (rows.length === 0 ? empty('Nothing has failed, and nothing was skipped.') : ledger(rows, true))))];
    const j = this.job;
    if (!this.id) return intro(this.name, 'Choose a job to see what became of it, or make a new one.');
    if (!j) return column('', h('h1', null, 'Jobs'), this.all.data && h('p', null, 'There is no such job. It may have been deleted.'));
    return [this.head(j), column('wide', about(j), this.times(j),
      h('h2', null, 'What became of each due time'),
      shown(this.ledger, ({ data }) => (data.length === 0 ? empty('It has not run yet.') : ledger(data, false))))];
  }

  /** @param {any} j */
  head(j) {
    const path = `api/jobs/${part(j.id)}`;
    /** @param {string} verb @param {string} done @param {string} [back] */
    const act = (verb, done, back) => once(async () => {
      await post(`${path}/${verb}`);
      this.read();
      this.ledger.again();
      toast(done, back ? () => post(`${path}/${back}`).then(() => this.read()) : undefined);
    });
    return head('jobs', j.name,
      h('button', { onclick: act('run', 'It runs now; the outcome will be in the ledger.') }, 'Run now'),
      j.enabled ? h('button', { onclick: act('pause', 'Paused.', 'resume') }, 'Pause') : h('button', { onclick: act('resume', 'It goes on from now.', 'pause') }, 'Resume'),
      h('a', { class: 'button', href: `${address(j)}/edit` }, 'Edit…'),
      h('button', { onclick: once(() => this.erase(j, path)) }, 'Delete…'));
  }

  /** @param {any} j @param {string} path */
  async erase(j, path) {
    const n = this.ledger.data?.data.length ?? 0;
    if (!(await ask({ title: 'Delete this job?', word: j.name, action: 'Delete the job', text: `The job goes, with its ledger${n ? ` of ${plural(n, 'run')}` : ''}. The messages of its session stay.` }))) return;
    await remove(path);
    location.hash = '#/jobs';
    this.all.again();
    toast('The job is deleted.');
  }

  /** @param {any} j */
  times(j) {
    return [h('h2', null, 'Next times'), !j.enabled && h('p', { class: 'note' }, `It is ${j.state}, and does not fire.`), shown(this.next, (page) => dueTimes(page.next, j.timezone))];
  }
}

/** dueTimes are times in the zone of a job, and in that of whoever looks. @param {string[]} times @param {string} zone */
function dueTimes(times, zone) {
  const own = ownZone();
  const two = times.some((t) => inZone(t, zone) !== inZone(t, own));
  return grid('Next times', [zone, two && `${own}, your zone`], times.map((t) => cells(t, inZone(t, zone), ...(two ? [inZone(t, own)] : []))));
}

/** @param {any} j */
function about(j) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['schedule', h('span', { class: 'mono' }, j.schedule)], ['zone', j.timezone],
    ['next', j.enabled && j.next_run_at && (overdue(j) ? h('span', { class: 'loud' }, `overdue: it was due ${ago(j.next_run_at)}. Does a server run?`) : `${inZone(j.next_run_at, j.timezone)} (${ago(j.next_run_at)})`)],
    ['session', h('a', { href: `#/sessions/${part(j.session_id)}` }, j.session_id)], ['session key', j.session_key], ['output', j.deliver],
    ['missed times', j.catch_up], ['fires', `${number(j.fires)}${j.repeat ? ` of ${number(j.repeat)}` : ''}`], ['model', j.model], ['at most', wait(j.timeout_seconds * 1000)],
  ]);
  return [h('p', { class: 'said words' }, j.prompt), pairs(rows)];
}

/** @param {string} status */
export const tone = (status) => (['failed', 'lost', 'interrupted', 'dead'].includes(status) ? 'bad' : ['skipped', 'cancelled', 'waiting_for_approval'].includes(status) ? 'warn' : status === 'completed' ? 'now' : 'soft');

/** ledger is what became of due times. @param {any[]} rows @param {boolean} named */
function ledger(rows, named) {
  return grid('Ledger', [named && 'Job', 'Due', 'Late', 'Status', 'Attempts', 'What it said', 'Delivery'],
    rows.map((r) => cells(r.id, ...(named ? [h('a', { href: `#/jobs/${part(r.job_id)}` }, r.job_name ?? r.job_id)] : []),
      h('td', { title: exact(r.due_at) }, ago(r.due_at), r.manual && h('span', { class: 'note' }, ' by hand')),
      r.late_seconds >= 1 && wait(r.late_seconds * 1000),
      [h('span', { class: tone(r.status) }, r.status), r.reason && h('p', { class: 'note' }, r.reason)],
      [number(r.attempts), r.next_attempt_at && h('p', { class: 'note' }, `next ${ago(r.next_attempt_at)}`)],
      [r.error && h('p', { class: 'bad' }, r.error), r.output && h('details', null, h('summary', null, r.output.slice(0, 80)), h('p', { class: 'plain' }, r.output))],
      [r.delivery && `${r.delivery.state}, ${r.delivery.target}`, r.delivery?.error && h('p', { class: 'note bad' }, r.delivery.error)])));
}

export const open = () => new Jobs();

/** @param {any} job */
const address = (job) => `#/jobs/${part(job.id)}`;

/** @param {any} of @param {AbortSignal} signal */
const preview = ({ schedule, timezone }, signal) => get('api/jobs/preview', { schedule, timezone, count: 10 }, signal);

// Making and changing a job, with the times at which its schedule would fire.
const fields = ['name', 'schedule', 'timezone', 'prompt', 'session_id', 'session_key', 'deliver', 'catch_up', 'model'];

/** @param {any} job @param {(job: any) => any} done */
function jobForm(job, done) {
  /** @type {Record<string, string>} */
  const value = Object.fromEntries(fields.map((n) => [n, job?.[n] ?? '']));
  if (!job) Object.assign(value, { timezone: ownZone(), deliver: 'local', catch_up: 'once' });
  let busy = false;
  /** @type {any} */
  let problem = null;
  const times = new Source((signal) => preview(value, signal));
  const look = calm(() => { if (value.schedule.trim()) times.again(); }, 200);
  if (job) look();
  const set = (/** @type {string} */ name) => (/** @type {any} */ e) => {
    value[name] = e.target.value;
    if (name === 'schedule' || name === 'timezone') look();
    change();
  };
  // meet takes over what another edit has changed, and says what both have changed.
  const meet = async () => {
    const theirs = (await get(`api/jobs/${part(job.id)}`)).job;
    const mine = changes(value, job);
    for (const n of fields) {
      if (!(n in mine)) value[n] = theirs[n] ?? '';
      else if (theirs[n] !== job[n]) problem.message += ` There, the ${n} is now: ${theirs[n] || 'none'}`;
    }
    job = theirs;
  };
  const submit = once(async () => {
    [busy, problem] = [true, null];
    change();
    try {
      const body = changes(value, job);
      const out = job ? await patch(`api/jobs/${part(job.id)}`, { ...body, updated_at: job.updated_at }) : await post('api/jobs', body);
      if (out.job.webhook_secret) await secret('The secret of the webhook', out.job.webhook_secret, 'Its receiver checks signatures with it.');
      await done(out.job);
    } catch (err) {
      problem = problemOf(err);
      if (problem.code === 'job_changed') await meet();
    } finally {
      busy = false;
      change();
    }
  });
  return { id: job?.id ?? 'new', title: job ? `Edit ${job.name}` : 'New job', view: () => formView({ value, set, submit, busy, problem, times }) };
}

/** @param {Record<string, string>} value @param {any} job */
function changes(value, job) {
  const given = fields.filter((n) => (job ? value[n] !== (job[n] ?? '') : value[n] !== ''));
  return Object.fromEntries(given.map((n) => [n, value[n]]));
}

/** @param {string} title @param {string} text @param {string} what */
export function secret(title, text, what) {
  return (state.held = dialog(title, (close) => [
    h('p', null, `It is shown only now. ${what}`), h('p', { class: 'block mono' }, text),
    h('div', { class: 'buttons' }, h('button', { onclick: copied(() => text) }, 'Copy'), h('button', { class: 'primary', onclick: () => close(true) }, 'I have it')),
  ], { stays: true }));
}

/** @param {any} f */
function formView(f) {
  const { value, set } = f;
  /** @param {string} name @param {string} label @param {any} [more] @param {string} [tag] */
  const text = (name, label, more, tag) => field(label, { value: value[name], oninput: set(name), ...more }, tag);
  return h('div', { class: 'scroll' }, h('form', { class: 'column form', onsubmit: f.submit },
    text('name', 'Name', { required: true }),
    h('div', { class: 'stack' },
      text('schedule', 'Schedule', { required: true, class: 'mono', placeholder: 'every weekday 9am', 'aria-describedby': 'schedule-says' }),
      h('p', { class: 'note' }, 'A cron line (0 9 * * 1), “every 30m”, “every monday 9am”, “in 2h”, or a time.')),
    text('timezone', 'Zone'),
    h('div', { id: 'schedule-says', class: 'stack', role: 'status' }, f.times.problem ? wrong(value.schedule, f.times.problem) : f.times.data && value.schedule && dueTimes(f.times.data.next, f.times.data.timezone)),
    text('prompt', 'Prompt', { rows: 4, cols: 60, required: true, class: 'said' }, 'textarea'),
    h('details', { open: Boolean(value.session_key) }, h('summary', null, 'Session, output, missed times'), h('div', { class: 'form' },
      text('session_id', 'Session; without one, one of its own'), text('session_key', 'Session key'),
      text('deliver', 'Where the output goes: local, webhook:https://…, telegram, …'),
      h('label', null, 'Times that were missed', choice([['once', 'fire the newest, late'], ['skip', 'fire none'], ['all', 'fire every one']], value.catch_up, (to) => { value.catch_up = to; })),
      text('model', 'Model; without one, as configured'))),
    f.problem && trouble(f.problem, null),
    h('div', { class: 'buttons' }, h('a', { class: 'button', href: '#/jobs' }, 'Cancel'), h('button', { class: 'primary', disabled: f.busy }, 'Save the job'))));
}

/** @param {string} text @param {any} problem */
function wrong(text, problem) {
  const at = Number(/position (\d+)/.exec(problem.message)?.[1] ?? NaN);
  return [h('p', { class: 'bad' }, problem.message), !Number.isNaN(at) && marked(text, Math.max(0, at - 1))];
}
