// What can be done with a session as a whole.
import { get, part, patch, post, remove, send } from './api.js';
import { ask, dialog, once, prompt, toast } from './dialog.js';
import { closeMenu, h } from './dom.js';
import { decision, field } from './screen.js';
import { can, change, copy, dropDrafts, save, state, tab } from './store.js';
import { month, plural } from './words.js';

/** @param {() => any} f */
const closing = (f) => once(() => {
  closeMenu();
  return f();
});

/** @param {any} s @param {Hooks} hooks */
export function actions(s, hooks) {
  const root = s._lineage_root_id;
  const path = `api/sessions/${part(root)}`;
  const write = can('sessions:write');
  const list = /** @type {[string, () => Promise<any> | void, boolean][]} */ ([
    ['Go to a message or a day…', () => hooks.goTo(), true],
    [hooks.undone ? 'Hide what was taken back' : 'Show what was taken back', () => hooks.taken(), true],
    ['Copy the id', () => copy(root).then(() => toast('The id is copied.')), true],
    ['Rename…', () => rename(s, hooks.reload), write],
    ['Undo the last exchange', () => undo(path, hooks), write],
    ['Compress', () => compress(path, hooks), write],
    ['Fork', () => forkFrom(root, null), write],
    ['Reset: end, and begin anew', () => reset(path), write],
    [s.ended_at ? 'Ended' : 'End', () => end(path, hooks), write && !s.ended_at],
    ['Export as JSON lines', () => download(root), can('export')],
    ['Delete…', () => erase(s, path), write],
  ]);
  return h('details', { class: 'menu', key: 'menu' }, h('summary', { class: 'button' }, 'Actions'),
    h('ul', null, list.filter(([, , may]) => may).map(([text, act]) => h('li', { key: text }, h('button', { class: 'item', onclick: closing(act) }, text)))));
}

/** @param {any} s @param {() => void} done */
export async function rename(s, done) {
  const path = `api/sessions/${part(s._lineage_root_id)}`;
  const now = await prompt({ title: 'Rename the session', label: 'Title', value: s.title ?? '', action: 'Rename' }, (title) => patch(path, { title }));
  if (!now) return;
  done();
  toast('Renamed.', s.title ? async () => { await patch(path, { title: s.title }); done(); } : undefined);
}

/** @param {string} path @param {Hooks} hooks */
async function undo(path, hooks) {
  const { undone, text } = await post(`${path}/undo`);
  if (undone === 0) { toast('There is nothing to take back.'); return; }
  toast(`${plural(undone, 'message')} taken back. Models and memory no longer see them.`);
  const field = /** @type {any} */ (document.querySelector('.compose textarea'));
  if (field && !field.value) { field.value = text; field.dispatchEvent(new Event('input')); }
  hooks.anew();
}

/** @param {string} path @param {Hooks} hooks */
async function compress(path, hooks) {
  const out = await post(`${path}/compress`);
  toast(out.compressed ? 'Folded: models are given a summary of the older turns.' : `Not folded. ${out.reason ?? 'It would not make the prompt smaller.'}`);
  hooks.reload();
}

/** forkFrom copies a session up to a message. @param {string} root @param {any} m */
export async function forkFrom(root, m) {
  const made = await post(`api/sessions/${part(root)}/fork`, m ? { message_id: m.id } : {});
  location.hash = `#/sessions/${part(made._lineage_root_id)}`;
  toast('This is a copy. The session that it was made of stays as it was.');
}

/** @param {string} path */
async function reset(path) {
  const made = await post(`${path}/reset`);
  location.hash = `#/sessions/${part(made._lineage_root_id)}`;
  toast('A new session. The one before has ended; its messages stay.');
}

/** @param {string} path @param {Hooks} hooks */
async function end(path, hooks) {
  await patch(path, { end_reason: 'user_exit' });
  toast('Ended. Speaking in it opens it again.');
  hooks.reload();
}

/** @param {string} root */
async function download(root) {
  const answer = await send('GET', 'api/sessions/export', { query: { session_id: root } });
  save(`${root.replace(/[^\w-]+/g, '-')}.jsonl`, await answer.text(), 'application/x-ndjson');
}

/** @param {any} s @param {string} path */
async function erase(s, path) {
  const root = s._lineage_root_id;
  const word = s.title ?? root;
  const sure = await ask({
    title: 'Delete this session?', word, action: `Delete ${plural(s.lineage_message_count, 'message')}`,
    text: 'Its messages go, with everything that memory learnt from them.',
  });
  if (!sure) return;
  await remove(path);
  tab.set(`draft:${root}`, null);
  dropDrafts(word);
  if (state.route.path[0] === root) location.hash = '#/sessions';
  toast('The session is deleted.');
}

/** goTo jumps to a message by its number, or to a day. @param {import('./chat.js').Chat} chat */
export async function goTo(chat) {
  const s = chat.session.data;
  const months = monthsOf(s.started_at, s.last_active);
  const to = await dialog('Go to', (close) => h('form', { class: 'form', onsubmit: (e) => { e.preventDefault(); const f = e.currentTarget.elements; close(f.seq.value ? { seq: Number(f.seq.value) } : { day: f.day.value }); } },
    field(`Message, 0 to ${s.lineage_message_count - 1}`, { name: 'seq', type: 'number', min: 0, max: s.lineage_message_count - 1 }),
    field('or a day', { name: 'day', type: 'date' }),
    months.length > 1 && h('div', { class: 'months', role: 'group', 'aria-label': 'Months' }, months.map((m) => h('button', { type: 'button', class: 'link', onclick: () => close({ day: m }) }, month(`${m}T12:00:00`)))),
    decision(close, 'Go')));
  if (!to) return;
  const seq = to.seq ?? (to.day ? await firstOf(chat.root, s.lineage_message_count, new Date(`${to.day}T00:00:00`)) : undefined);
  if (seq !== undefined) location.hash = `#/sessions/${part(chat.root)}/${seq}`;
  change();
}

/** @param {string} from @param {string} to @returns {string[]} the first days of the months, newest 24 */
function monthsOf(from, to) {
  const out = [];
  const [first, at] = [new Date(from), new Date(to)];
  at.setDate(1);
  for (let i = 0; i < 24 && at.getTime() > first.getTime() - 31 * 864e5; i++, at.setMonth(at.getMonth() - 1)) {
    out.push(`${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-01`);
  }
  return out.reverse();
}

// firstOf finds the first message that was said at a time or later: the messages of a
// session are in the order of their times.
/** @param {string} root @param {number} count @param {Date} at */
async function firstOf(root, count, at) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    const page = await get(`api/sessions/${part(root)}/messages`, { from: middle, limit: 1, content_limit: 1 });
    const m = page.data[0];
    if (!m || new Date(m.created_at) >= at) high = middle;
    else low = m.seq + 1;
  }
  return Math.min(low, count - 1);
}
