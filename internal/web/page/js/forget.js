// Forgetting in three steps: what goes, the word typed, the certificate.
import { post, problemOf } from './api.js';
import { confirmation, dialog } from './dialog.js';
import { h } from './dom.js';
import { tellAll } from './events.js';
import { decision, figure, figures, quotes, trouble, who } from './screen.js';
import { patient } from './runs.js';
import { change, dropDrafts, save } from './store.js';
import { bytes, day, exact, number, plural } from './words.js';

/** @param {Scope} scope */
export async function forget(scope) {
  const own = scope.session_key ? 'session_key' : 'session_id';
  /** @type {Step} */
  const step = { what: 'about', word: '', count: null, sure: false, certificate: null, problem: null, busy: false };
  const ask = async (/** @type {boolean} */ dry) => {
    Object.assign(step, { busy: true, problem: null, sure: false });
    change();
    const send = () => post('api/memory/forget', { [step.what]: step.word, dry_run: dry });
    try {
      if (dry) step.count = await send();
      else done(step, await patient(send, (r) => step.what === 'about' || [r.session_key, r.lineage_root_id].includes(step.word)));
    } catch (err) {
      step.problem = problemOf(err);
    }
    step.busy = false;
    change();
  };
  while (await dialog('Forget', (close) => (step.count ? confirm(step, close) : choose(step, close, ask, scope, own)), { wide: true })) {
    await ask(false);
    if (step.certificate) { await dialog('Forget', (close) => certificate(step, close), { wide: true }); return; }
  }
}

/** @param {Step} step @param {any} out */
function done(step, out) {
  step.certificate = out;
  dropDrafts(step.word);
  tellAll('session', { id: '', what: 'changed' });
  tellAll('memory', { id: '', what: 'changed' });
}

/** @param {Step} step @param {(v: any) => void} close @param {(dry: boolean) => void} ask @param {any} scope @param {string} own */
function choose(step, close, ask, scope, own) {
  const id = scope[own];
  /** @param {string} what @param {string} word @param {string} text */
  const option = (what, word, text) => h('label', { class: 'check' },
    h('input', { type: 'radio', name: 'what', checked: step.what === what, onchange: () => { Object.assign(step, { what, word }); change(); } }), text);
  return h('form', { key: 'choose', class: 'form', onsubmit: (e) => { e.preventDefault(); if (step.word.trim()) ask(true); } },
    id && h('fieldset', { class: 'stack' }, h('legend', null, 'What'),
      option('about', '', 'A thing, wherever it was said'), option(own, id, own === 'session_id' ? 'This whole session' : 'This whole session key')),
    step.what === 'about'
      ? h('label', null, 'A name, a word, a sentence', h('input', { value: step.word, autocomplete: 'off', spellcheck: 'false', oninput: (e) => { step.word = e.target.value; } }))
      : h('p', { class: 'mono' }, step.word),
    h('p', { class: 'note' }, 'First you see what would go. Nothing is erased by this step.'),
    step.problem && trouble(step.problem, null),
    decision(close, 'Show what would go', { disabled: step.busy }));
}

const erased = [
  ['sentences', 'sentences_erased'], ['facts', 'facts_erased'], ['messages changed', 'messages_redacted'], ['sessions deleted', 'sessions_deleted'],
  ['titles, prompts and summaries', 'titles_prompts_summaries_redacted'], ['jobs deleted', 'jobs_deleted'], ['records of runs and answers', 'records_erased'],
];

/** @param {any} c */
const gone = (c) => erased.filter(([, of]) => c[of] > 0).map(([name, of]) => figure(name, name, number(c[of])));

/** @param {any} c */
function action(c) {
  if (c.sessions_deleted > 0) return `Forget ${plural(c.sessions_deleted, 'session')}`;
  return c.sentences_erased > 0 ? `Forget ${plural(c.sentences_erased, 'sentence')}` : `Forget ${plural(c.facts_erased ?? 0, 'fact')}`;
}

/** @param {Step} step @param {(v: any) => void} close */
function confirm(step, close) {
  const c = step.count;
  const some = gone(c).length > 0;
  const back = () => { Object.assign(step, { count: null, sure: false }); change(); };
  return h('form', { key: 'confirm', class: 'form', onsubmit: (e) => { e.preventDefault(); if (step.sure) close(true); } },
    some ? figures('What goes', gone(c)) : h('p', null, 'Nothing mentions this. There is nothing to forget.'),
    c.samples?.length > 0 && h('section', { class: 'stack' }, h('h3', null, 'What would go, for example'), quotes(c.samples, (s) => [
      h('p', { class: 'said' }, `“${s.text}”`), h('p', { class: 'note' }, `${who(s.role)}, ${day(s.said_at)}, message ${number(s.seq)} of ${s.session_id}`)])),
    some && confirmation(step.word, (sure) => { step.sure = sure; change(); }),
    step.problem && trouble(step.problem, null),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: back }, 'Back'), h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'),
      some && h('button', { class: 'danger', disabled: !step.sure }, action(c))));
}

/** @param {Step} step @param {(v: any) => void} close */
function certificate(step, close) {
  const c = step.certificate;
  const keep = () => save('certificate.json', JSON.stringify(c, null, 2), 'application/json');
  return h('div', { key: 'certificate', class: 'form' },
    h('div', { class: 'certificate' },
      h('h3', { tabindex: -1, autofocus: true }, 'Certificate of erasure'),
      figures('What goes', gone(c)),
      h('p', { class: c.left === 0 ? 'now' : 'bad', role: 'status' }, c.left === 0 ? 'Left: 0. Every file was searched, and nothing of it is there.' : `Left: ${number(c.left)}. Something was written meanwhile; forget it again.`),
      h('h3', null, 'Files searched'),
      figures('Files searched', (c.searched ?? []).map((/** @type {any} */ f) => figure(f.file, h('span', { class: 'mono' }, f.file), bytes(f.bytes), plural(f.hits, 'hit')))),
      h('p', { class: 'note' }, [c.at && exact(c.at), c.audit_seq && `audit number ${number(c.audit_seq)}`, c.version && `version ${c.version}`].filter(Boolean).join(', '))),
    h('div', { class: 'buttons' }, h('button', { onclick: () => print() }, 'Print'), h('button', { onclick: keep }, 'Save as JSON'), h('button', { class: 'primary', onclick: () => close(true) }, 'Close')));
}
