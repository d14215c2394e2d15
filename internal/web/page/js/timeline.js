// Decisions, their reasons, and how they were reversed, in the order they were said.
import { get, part } from './api.js';
import { h } from './dom.js';
import { empty, shown, Source } from './load.js';
import { change } from './store.js';
import { day, month, number } from './words.js';

/** @param {Scope} scope @param {import('./memory.js').Memory} memory */
export function timeline(scope, memory) {
  let topic = '';
  /** @type {any[]} */
  let extra = [];
  /** @type {string | null} */
  let cursor = null;
  /** @type {any} */
  let timer;
  const read = (/** @type {any} */ more, /** @type {AbortSignal} */ signal) => get('api/memory/timeline', { ...scope, topic, limit: 100, ...more }, signal);
  const source = new Source(async (signal) => {
    const page = await read({}, signal);
    extra = [];
    cursor = page.next_cursor ?? null;
    return page;
  });
  const more = async () => {
    const page = await read({ cursor }, new AbortController().signal).catch(() => null);
    if (!page) return;
    extra = [...extra, ...page.data];
    cursor = page.next_cursor ?? null;
    change();
  };
  source.again();
  const find = (/** @type {any} */ e) => { topic = e.target.value; clearTimeout(timer); timer = setTimeout(() => source.again(), 150); change(); };
  return {
    again: () => { source.again(); },
    close: () => source.close(),
    view: () => [
      h('div', { class: 'tools-row', key: 'tools' }, h('input', { type: 'search', placeholder: 'Topic', 'aria-label': 'Topic', value: topic, oninput: find })),
      h('div', { class: 'scroll', key: 'timeline' }, h('div', { class: 'facts' }, shown(source, (page) => [
        page.data.length === 0 && empty(topic ? 'Nothing was decided about this.' : 'Decisions and what became of them will be listed here.'),
        months([...page.data, ...extra], memory),
        cursor && h('p', null, h('button', { onclick: more }, 'More')),
      ]))),
    ],
  };
}

/** @param {any[]} facts @param {import('./memory.js').Memory} memory */
function months(facts, memory) {
  const byID = new Map(facts.map((f) => [f.id, f]));
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const f of facts) groups.set(month(f.said_at), [...(groups.get(month(f.said_at)) ?? []), f]);
  return [...groups].map(([name, list]) => h('section', { key: name }, h('h2', null, name),
    h('ol', { class: 'chain' }, list.map((f) => knot(f, byID, memory)))));
}

/** knot is a decision, or a reversal with both of its sides. @param {any} f @param {Map<string, any>} byID @param {import('./memory.js').Memory} memory */
function knot(f, byID, memory) {
  const olds = (f.links ?? []).filter((/** @type {any} */ l) => l.kind === 'supersedes').map((/** @type {any} */ l) => byID.get(l.to)).filter(Boolean);
  return h('li', { key: f.id, class: f.status === 'current' ? 'holds' : undefined },
    olds.map((/** @type {any} */ old) => h('p', { key: old.id }, h('s', { class: 'said' }, old.quote), old.because && !old.quote.includes(old.because) && h('span', { class: 'note' }, ` because ${old.because}`))),
    h('p', { class: 'said' }, f.status === 'current' ? f.quote : h('s', null, f.quote)),
    f.because && !f.quote.includes(f.because) && h('p', { class: 'note' }, `because ${f.because}`),
    h('p', { class: 'note' }, `${olds.length > 0 ? 'Changed on ' : ''}${day(f.said_at)}${f.superseded_at ? `, until ${day(f.superseded_at)}` : ''}, `,
      h('a', { href: `#/sessions/${part(f.session_id)}/${f.seq}` }, `message ${number(f.seq)}`), ' · ',
      h('a', { href: `${memory.base}/timeline?fact=${part(f.id)}` }, 'How it came to be')));
}
