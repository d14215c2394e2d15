// What runs when nobody looks: the jobs, one of them, and what failed of all.
import { get, part, post, remove } from './api.js';
import { ask, failed, toast } from './dialog.js';
import { h } from './dom.js';
import { on } from './events.js';
import { jobForm } from './jobform.js';
import { empty, shown, Source } from './load.js';
import { change, state } from './store.js';
import { ago, exact, inZone, number, ownZone, plural, wait } from './words.js';

const late = 90_000; // milliseconds after which a job is overdue

/** @param {any} j */
export const overdue = (j) => j.enabled && j.next_run_at && Date.now() - new Date(j.next_run_at).getTime() > late;

class Jobs {
  constructor() {
    this.id = '';
    /** @type {any} the form on view */
    this.form = null;
    this.all = new Source((signal) => get('api/jobs', {}, signal));
    this.ledger = new Source((signal) => get(`api/jobs/${part(this.id)}/runs`, { limit: 50 }, signal));
    this.next = new Source((signal) => {
      const j = this.job;
      return j ? get('api/jobs/preview', { schedule: j.schedule, timezone: j.timezone, count: 10 }, signal) : Promise.resolve({ next: [] });
    });
    this.failures = new Source((signal) => this.readFailures(signal));
    this.stops = [on('job', () => this.all.again()), on('job_run', (e) => this.ran(e)), on('reset', () => this.all.again())];
    this.all.again();
  }

  close() {
    for (const stop of this.stops) stop();
    for (const s of [this.all, this.ledger, this.next, this.failures]) s.close();
  }

  /** @param {any} event */
  ran(event) {
    this.all.again();
    if (event.id === this.id) this.ledger.again();
    if (this.id === 'failed') this.failures.again();
  }

  /** @param {AbortSignal} signal */
  async readFailures(signal) {
    const since = new Date(Date.now() - 7 * 864e5).toISOString();
    const pages = await Promise.all(['failed', 'skipped', 'lost'].map((status) => get('api/jobs/runs', { status, since, limit: 100 }, signal)));
    return pages.flatMap((p) => p.data).sort((a, b) => b.due_at.localeCompare(a.due_at));
  }

  get job() { return this.all.data?.data.find((/** @type {any} */ j) => j.id === this.id); }

  /** @param {Route} route */
  async go(route) {
    const [id = '', edit] = route.path;
    const form = id === 'new' || edit === 'edit';
    if (id !== this.id) {
      this.id = id;
      this.ledger.close();
      this.ledger.data = this.next.data = undefined;
      if (id === 'failed') this.failures.again();
      else if (id && id !== 'new') {
        this.ledger.again();
        if (!this.all.data) await this.all.again();
        this.next.again();
      }
    }
    if (!form) this.form = null;
    else if (!this.form || this.form.id !== id) {
      if (!this.all.data && id !== 'new') await this.all.again();
      this.form = jobForm(id === 'new' ? null : this.job, (job) => { this.all.again(); this.next.again(); location.hash = `#/jobs/${part(job.id)}`; });
      change();
    }
  }

  /** @param {boolean} alone */
  list(alone) {
    return [
      alone && h('h1', { class: 'list-title' }, 'Jobs'),
      h('div', { class: 'finder' }, h('a', { class: 'button', href: '#/jobs/new' }, 'New job'), h('a', { class: 'button', href: '#/jobs/failed' }, 'Failed and skipped')),
      h('div', { class: 'scroll' }, shown(this.all, ({ data }) => (data.length === 0
        ? empty('Jobs will be listed here: prompts that are said at a time, such as “every weekday 9am”. Make one with New job.')
        : h('ul', null, data.map((/** @type {any} */ j) => h('li', { key: j.id }, this.row(j))))))),
    ];
  }

  /** @param {any} j */
  row(j) {
    const next = !j.enabled ? j.state : overdue(j) ? '' : j.next_run_at ? ago(j.next_run_at) : 'no next time';
    return h('a', { class: 'row session', href: `#/jobs/${part(j.id)}`, 'aria-current': j.id === this.id ? 'true' : undefined },
      h('span', { class: 'title' }, j.name), h('span', { class: 'side' }, overdue(j) ? h('span', { class: 'loud' }, `overdue since ${ago(j.next_run_at)}`) : next),
      h('span', { class: 'id' }, j.schedule), h('span', { class: 'side' }, j.last_status && h('span', { class: tone(j.last_status) }, j.last_status)));
  }

  content() {
    if (this.form) return [h('header', { class: 'head' }, h('a', { class: 'back', href: '#/jobs' }, '‹ Back'), h('h1', null, this.form.title)), this.form.view()];
    if (this.id === 'failed') return [h('header', { class: 'head' }, h('a', { class: 'back', href: '#/jobs' }, '‹ Back'), h('h1', null, 'Failed and skipped in the last 7 days')), h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: 'column wide' }, shown(this.failures, (rows) => (rows.length === 0 ? empty('Nothing has failed, and nothing was skipped.') : ledger(rows, true)))))];
    const j = this.job;
    if (!this.id) return h('div', { class: 'scroll' }, h('div', { class: 'column start' }, h('h1', null, 'Jobs'), h('p', { class: 'soft' }, 'Choose a job to see what became of it, or make a new one.')));
    if (!j) return h('div', { class: 'scroll' }, h('div', { class: 'column' }, h('h1', null, 'Jobs'), this.all.data && h('p', null, 'There is no such job. It may have been deleted.')));
    return [this.head(j), h('div', { class: 'scroll', tabindex: 0 }, h('div', { class: 'column wide' }, about(j), this.times(j),
      h('h2', null, 'What became of each due time'),
      shown(this.ledger, ({ data }) => (data.length === 0 ? empty('It has not run yet.') : ledger(data, false)))))];
  }

  /** @param {any} j */
  head(j) {
    const path = `api/jobs/${part(j.id)}`;
    /** @param {string} verb @param {string} done @param {string} [back] */
    const act = (verb, done, back) => async () => {
      try {
        await post(`${path}/${verb}`);
        this.all.again();
        this.ledger.again();
        toast(done, back ? () => post(`${path}/${back}`).then(() => this.all.again(), failed) : undefined);
      } catch (err) { failed(err); }
    };
    return h('header', { class: 'head' }, h('a', { class: 'back', href: '#/jobs' }, '‹ Back'), h('h1', null, j.name),
      h('button', { onclick: act('run', 'It runs now; the outcome will be in the ledger.') }, 'Run now'),
      j.enabled ? h('button', { onclick: act('pause', 'Paused.', 'resume') }, 'Pause') : h('button', { onclick: act('resume', 'It goes on from now.', 'pause') }, 'Resume'),
      h('a', { class: 'button', href: `#/jobs/${part(j.id)}/edit` }, 'Edit…'),
      h('button', { onclick: () => this.erase(j, path) }, 'Delete…'));
  }

  /** @param {any} j @param {string} path */
  async erase(j, path) {
    const n = this.ledger.data?.data.length ?? 0;
    if (!(await ask({ title: 'Delete this job?', word: j.name, action: 'Delete the job', text: `The job goes, with its ledger${n ? ` of ${plural(n, 'run')}` : ''}. The messages of its session stay.` }))) return;
    try {
      await remove(path);
      location.hash = '#/jobs';
      this.all.again();
      toast('The job is deleted.');
    } catch (err) { failed(err); }
  }

  /** @param {any} j */
  times(j) {
    return [h('h2', null, 'Next times'), !j.enabled && h('p', { class: 'note' }, `It is ${j.state}, and does not fire.`), shown(this.next, (page) => dueTimes(page.next, j.timezone))];
  }
}

/** dueTimes are times in the zone of a job, and in that of whoever looks. @param {string[]} times @param {string} zone */
export function dueTimes(times, zone) {
  const own = ownZone();
  const two = times.some((t) => inZone(t, zone) !== inZone(t, own));
  return h('div', { class: 'across', tabindex: 0, role: 'group', 'aria-label': 'Next times' }, h('table', { class: 'grid' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, zone), two && h('th', { scope: 'col' }, `${own}, your zone`))),
    h('tbody', null, times.map((t) => h('tr', { key: t }, h('td', null, inZone(t, zone)), two && h('td', null, inZone(t, own)))))));
}

/** @param {any} j */
function about(j) {
  const rows = /** @type {[string, Kid][]} */ ([
    ['schedule', h('span', { class: 'mono' }, j.schedule)], ['zone', j.timezone],
    ['next', j.enabled && j.next_run_at && (overdue(j) ? h('span', { class: 'loud' }, `overdue: it was due ${ago(j.next_run_at)}. Does a server run?`) : `${inZone(j.next_run_at, j.timezone)} (${ago(j.next_run_at)})`)],
    ['session', h('a', { href: `#/sessions/${part(j.session_id)}` }, j.session_id)], ['session key', j.session_key], ['output', j.deliver],
    ['missed times', j.catch_up], ['fires', `${number(j.fires)}${j.repeat ? ` of ${number(j.repeat)}` : ''}`], ['model', j.model], ['at most', wait(j.timeout_seconds * 1000)],
  ]);
  return [h('p', { class: 'said words' }, j.prompt), h('dl', { class: 'pairs' }, rows.filter(([, v]) => v).map(([k, v]) => [h('dt', null, k), h('dd', null, v)]))];
}

/** @param {string} status */
export const tone = (status) => (['failed', 'lost', 'interrupted', 'dead'].includes(status) ? 'bad' : ['skipped', 'cancelled', 'waiting_for_approval'].includes(status) ? 'warn' : status === 'completed' ? 'now' : 'soft');

/** ledger is what became of due times. @param {any[]} rows @param {boolean} named */
function ledger(rows, named) {
  return h('div', { class: 'across', tabindex: 0, role: 'group', 'aria-label': 'Ledger' }, h('table', { class: 'grid' },
    h('thead', null, h('tr', null, [named && 'Job', 'Due', 'Late', 'Status', 'Attempts', 'What it said', 'Delivery'].filter(Boolean).map((t) => h('th', { scope: 'col' }, t)))),
    h('tbody', null, rows.map((r) => h('tr', { key: r.id },
      named && h('td', null, h('a', { href: `#/jobs/${part(r.job_id)}` }, r.job_name ?? r.job_id)),
      h('td', { title: exact(r.due_at) }, ago(r.due_at), r.manual && h('span', { class: 'note' }, ' by hand')),
      h('td', null, r.late_seconds >= 1 ? wait(r.late_seconds * 1000) : ''),
      h('td', null, h('span', { class: tone(r.status) }, r.status), r.reason && h('p', { class: 'note' }, r.reason)),
      h('td', null, number(r.attempts), r.next_attempt_at && h('p', { class: 'note' }, `next ${ago(r.next_attempt_at)}`)),
      h('td', null, r.error && h('p', { class: 'bad' }, r.error), r.output && h('details', null, h('summary', null, r.output.slice(0, 80)), h('p', { class: 'plain' }, r.output))),
      h('td', null, r.delivery && `${r.delivery.state}, ${r.delivery.target}`, r.delivery?.error && h('p', { class: 'note bad' }, r.delivery.error)))))));
}

export function open() {
  const jobs = new Jobs();
  return {
    title: () => jobs.job?.name ?? 'Jobs',
    listing: () => state.route.path.length === 0,
    list: (/** @type {boolean} */ alone) => jobs.list(alone),
    content: () => jobs.content(),
    keys: { n: () => { location.hash = '#/jobs/new'; }, e: () => { if (jobs.job) location.hash = `#/jobs/${part(jobs.job.id)}/edit`; } },
    go: (/** @type {Route} */ r) => { jobs.go(r); },
    close: () => jobs.close(),
  };
}
