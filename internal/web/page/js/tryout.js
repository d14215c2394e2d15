// Three ways to try a memory: what a model is shown of it, what a question would find in
// it, and a question to memory as it was.
import { get, post } from './api.js';
import { ask } from './aside.js';
import { failed } from './dialog.js';
import { h } from './dom.js';
import { empty, shown, Source } from './load.js';
import { column, figure, figures, finder, pairs } from './shape.js';
import { change, randomID } from './store.js';
import { where } from './why.js';
import { day, endOf, number, plural, short } from './words.js';

// What a model is shown of a memory: the block of the next turn to the letter, and the check that it can be made again from the messages.
/** @param {Scope} scope */
export function shownToModel(scope) {
  const source = new Source((signal) => get('api/memory/state', scope, signal));
  /** @type {any} */
  let verdict = null;
  let busy = false;
  source.again();
  const verify = async () => {
    busy = true;
    change();
    try {
      const out = await post('api/memory/rebuild', { verify: true });
      verdict = out.data.find((/** @type {any} */ d) => (scope.session_key ? d.session_key === scope.session_key : d._lineage_root_id === scope.session_id && !d.session_key)) ?? { identical: out.identical, all: out.data.length };
    } catch (err) { failed(err); }
    busy = false;
    change();
  };
  return {
    again: () => { source.again(); },
    close: () => source.close(),
    view: () => column('wide', shown(source, (s) => [
      h('p', null, `The next turn is given ${plural(s.budget.used, 'token')} of memory, of ${number(s.budget.tokens)} at most. The words stand below as a model gets them.`),
      s.next ? h('pre', { class: 'block', tabindex: 0 }, s.next) : empty('Nothing is known yet, so nothing is shown.'),
      pairs([['state hash', h('span', { class: 'mono' }, s.state_hash)], ['facts', number(s.facts_total ?? 0)]]),
      h('div', null, h('button', { onclick: verify, disabled: busy }, busy ? 'Reading the messages again…' : 'Verify')),
      h('p', { class: 'note' }, 'Verify reads all messages again, makes the facts anew, and compares. Nothing is changed.'),
      verdict && h('p', { role: 'status', class: verdict.identical ? 'now' : 'bad' }, says(verdict)),
    ])),
  };
}

/** @param {any} v */
function says(v) {
  if (!v.identical) return 'Not the same. Rebuild the memory: hermes rebuild';
  return v.all ? `Identical, in ${plural(v.all, 'memory', 'memories')}.` : `Identical: ${plural(v.facts, 'fact')} from ${plural(v.messages, 'message')} give the same hash.`;
}

// What a question would find in a memory, and how that was weighed.
/** @param {Scope} scope */
export function tryQuestion(scope) {
  let question = '';
  let asked = '';
  const source = new Source((signal) => get('api/memory/recall', { ...scope, q: asked, limit: 10, explain: true }, signal));
  const submit = (/** @type {Event} */ e) => { e.preventDefault(); asked = question.trim(); if (asked) source.again(); change(); };
  return {
    close: () => source.close(),
    view: () => [
      h('form', { class: 'tools-row', key: 'form', onsubmit: submit },
        finder('A question', question, (to) => { question = to; }, { size: 40 }),
        h('button', { class: 'primary' }, 'Find')),
      h('div', { class: 'scroll', key: 'found' }, h('div', { class: 'facts' },
        !asked && empty('Ask something: what a turn would be given is listed here, best first. Nothing is stored.'),
        asked && shown(source, (page) => (page.data.length === 0 ? empty('Nothing is near this question.') : h('ol', { class: 'quotes' }, page.data.map(hit)))))),
    ],
  };
}

/** @param {any} m */
function hit(m) {
  return h('li', { key: m.message_id }, h('p', { class: 'said' }, `“${short(m.quote, 500)}”`), where(m),
    h('details', null, h('summary', { class: 'note' }, `Score ${m.score.toFixed(3)}`),
      figures('', (m.reasons ?? []).map((/** @type {any} */ r) => figure(undefined, [r.feature, r.detail && h('span', { class: 'soft' }, `, ${r.detail}`)], r.weight.toFixed(3))))));
}

// A question to memory as it was on a day, beside the same question now. Neither is kept.
/** @typedef {{then: string, now: string, on: string, busy: boolean}} Both */

/** @param {Scope} scope */
export function askPast(scope) {
  let question = '';
  let date = '';
  /** @type {Both | null} */
  let both = null;
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    if (!question.trim() || !date) return;
    /** @type {Both} */
    const mine = { then: '', now: '', on: date, busy: true };
    both = mine;
    change();
    const of = { off: true, model: '', session: scope.session_id ?? `past-${randomID()}`, key: scope.session_key };
    const label = (/** @type {string} */ text) => text.replace(/^\[recall\]/, '').trimStart();
    try {
      await ask(question, { ...of, asOf: date }, (piece) => { mine.then = label(mine.then + piece); change(); });
      await ask(question, { ...of, asOf: '' }, (piece) => { mine.now = label(mine.now + piece); change(); });
    } catch (err) { failed(err); }
    mine.busy = false;
    change();
  };
  return {
    view: () => [
      h('form', { class: 'tools-row', key: 'form', onsubmit: submit },
        finder('A question', question, (to) => { question = to; }, { type: 'text', size: 34, required: true }),
        h('label', null, 'as of', h('input', { type: 'date', required: true, value: date, onchange: (e) => { date = e.target.value; change(); } })),
        h('button', { class: 'primary', disabled: both?.busy }, 'Ask')),
      column('wide', both ? answers(both) : empty('Ask what was known on a day. The answer of then stands beside the answer of now; neither is kept.')),
    ],
  };
}

/** @param {Both} both */
function answers(both) {
  /** @param {string} title @param {string} text */
  const side = (title, text) => h('section', { class: 'stack' }, h('h2', null, title), h('p', { class: 'plain', 'aria-busy': String(both.busy) }, text || (both.busy ? 'Answering…' : 'No answer.')));
  return h('div', { class: 'side-by', title: endOf(both.on) },
    side(`As of ${day(`${both.on}T12:00:00`)}. Not kept.`, both.then), side('Now. Not kept.', both.now));
}
