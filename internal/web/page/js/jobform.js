// Making and changing a job, with the times at which its schedule would fire.
import { get, part, patch, post } from './api.js';
import { dialog } from './dialog.js';
import { h } from './dom.js';
import { dueTimes } from './jobs.js';
import { Source, trouble } from './load.js';
import { copied } from './nodes.js';
import { change } from './store.js';
import { ownZone } from './words.js';

const names = ['name', 'schedule', 'timezone', 'prompt', 'session_id', 'session_key', 'deliver', 'catch_up', 'model'];

/** @param {any} job @param {(job: any) => void} done */
export function jobForm(job, done) {
  /** @type {Record<string, string>} */
  const value = Object.fromEntries(names.map((n) => [n, job?.[n] ?? '']));
  if (!job) Object.assign(value, { timezone: ownZone(), deliver: 'local', catch_up: 'once' });
  let [busy, timer] = [false, /** @type {any} */ (0)];
  /** @type {any} */
  let problem = null;
  const preview = new Source((signal) => get('api/jobs/preview', { schedule: value.schedule, timezone: value.timezone, count: 10 }, signal));
  const look = () => { clearTimeout(timer); timer = setTimeout(() => { if (value.schedule.trim()) preview.again(); }, 200); };
  if (job) look();
  const set = (/** @type {string} */ name) => (/** @type {any} */ e) => {
    value[name] = e.target.value;
    if (name === 'schedule' || name === 'timezone') look();
    change();
  };
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    [busy, problem] = [true, null];
    change();
    try {
      const body = changes(value, job);
      const out = job ? await patch(`api/jobs/${part(job.id)}`, body) : await post('api/jobs', body);
      if (out.job.webhook_secret) await secret('The secret of the webhook', out.job.webhook_secret, 'Its receiver checks signatures with it.');
      done(out.job);
    } catch (err) { problem = err; }
    busy = false;
    change();
  };
  return { id: job?.id ?? 'new', title: job ? `Edit ${job.name}` : 'New job', view: () => view({ value, set, submit, busy, problem, preview }) };
}

/** changes are the fields to send. @param {Record<string, string>} value @param {any} job */
function changes(value, job) {
  const given = names.filter((n) => (job ? value[n] !== (job[n] ?? '') : value[n] !== ''));
  return Object.fromEntries(given.map((n) => [n, value[n]]));
}

/** secret shows a secret once. @param {string} title @param {string} text @param {string} what */
export async function secret(title, text, what) {
  await dialog(title, (close) => [
    h('p', null, `It is shown only now. ${what}`), h('p', { class: 'block mono' }, text),
    h('div', { class: 'buttons' }, h('button', { onclick: copied(text) }, 'Copy'), h('button', { class: 'primary', onclick: () => close(true) }, 'I have it')),
  ]);
}

/** @param {any} f */
function view(f) {
  const { value, set } = f;
  /** @param {string} name @param {string} label @param {any} [more] */
  const field = (name, label, more) => h('label', null, label, h('input', { value: value[name], oninput: set(name), ...more }));
  return h('div', { class: 'scroll' }, h('form', { class: 'column form', onsubmit: f.submit },
    field('name', 'Name', { required: true }),
    h('div', { class: 'stack' },
      field('schedule', 'Schedule', { required: true, class: 'mono', placeholder: 'every weekday 9am', 'aria-describedby': 'schedule-says' }),
      h('p', { class: 'note' }, 'A cron line (0 9 * * 1), “every 30m”, “every monday 9am”, “in 2h”, or a time.')),
    field('timezone', 'Zone'),
    h('div', { id: 'schedule-says', class: 'stack', role: 'status' }, f.preview.problem ? wrong(value.schedule, f.preview.problem) : f.preview.data && value.schedule && dueTimes(f.preview.data.next, f.preview.data.timezone)),
    h('label', null, 'Prompt', h('textarea', { rows: 4, cols: 60, required: true, class: 'said', value: value.prompt, oninput: set('prompt') })),
    h('details', { open: Boolean(value.session_key) }, h('summary', null, 'Session, output, missed times'), h('div', { class: 'form' },
      field('session_id', 'Session; without one, one of its own'), field('session_key', 'Session key'),
      field('deliver', 'Where the output goes: local, webhook:https://…, telegram, …'),
      h('label', null, 'Times that were missed', h('select', { onchange: set('catch_up') }, [['once', 'fire the newest, late'], ['skip', 'fire none'], ['all', 'fire every one']].map(([v, t]) => h('option', { value: v, selected: v === value.catch_up }, t)))),
      field('model', 'Model; without one, as configured'))),
    f.problem && trouble(f.problem, null),
    h('div', { class: 'buttons' }, h('a', { class: 'button', href: '#/jobs' }, 'Cancel'), h('button', { class: 'primary', disabled: f.busy }, 'Save the job'))));
}

/** wrong marks where a schedule is wrong. @param {string} text @param {any} problem */
function wrong(text, problem) {
  const at = Number(/position (\d+)/.exec(problem.message)?.[1] ?? NaN);
  const chars = [...text];
  const i = Number.isNaN(at) ? -1 : Math.max(0, at - 1);
  return [h('p', { class: 'bad' }, problem.message), i >= 0 && h('p', { class: 'query-error' }, chars.slice(0, i).join(''), h('u', null, chars[i] ?? ' '), chars.slice(i + 1).join(''))];
}
