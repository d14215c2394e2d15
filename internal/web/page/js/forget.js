// Forgetting in three steps: what goes, the word typed, the certificate.
import { post } from './api.js';
import { dialog, failed } from './dialog.js';
import { h } from './dom.js';
import { tellAll } from './events.js';
import { trouble } from './load.js';
import { who } from './shape.js';
import { change, dropDrafts, save } from './store.js';
import { bytes, day, exact, number, plural, toType, typed } from './words.js';

/** forget asks what to forget, shows what goes, and forgets it. @param {Scope} scope */
export async function forget(scope) {
  const own = scope.session_key ? 'session_key' : 'session_id';
  /** @type {Step} */
  const step = { what: 'about', word: '', count: null, typed: '', certificate: null, problem: null, busy: false };
  const ask = async (/** @type {boolean} */ dry) => {
    [step.busy, step.problem] = [true, null];
    change();
    try {
      const out = await post('api/memory/forget', { [step.what]: step.word, dry_run: dry });
      if (dry) step.count = out;
      else done(step, out);
    } catch (err) {
      if (/** @type {any} */ (err).status === undefined) failed(err);
      step.problem = err;
    }
    step.busy = false;
    change();
  };
  await dialog('Forget', (close) => {
    if (step.certificate) return certificate(step, close);
    if (step.count) return confirm(step, close, ask);
    return choose(step, close, ask, scope, own);
  }, { wide: true });
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
  const pick = (/** @type {string} */ what, /** @type {string} */ word) => () => { step.what = what; step.word = word; change(); };
  return h('form', { key: 'choose', class: 'form', onsubmit: (e) => { e.preventDefault(); if (step.word.trim()) ask(true); } },
    id && h('fieldset', { class: 'stack' }, h('legend', null, 'What'),
      h('label', { class: 'check' }, h('input', { type: 'radio', name: 'what', checked: step.what === 'about', onchange: pick('about', '') }), 'A thing, wherever it was said'),
      h('label', { class: 'check' }, h('input', { type: 'radio', name: 'what', checked: step.what === own, onchange: pick(own, id) }), own === 'session_id' ? 'This whole session' : 'This whole session key'),
    ),
    step.what === 'about'
      ? h('label', null, 'A name, a word, a sentence', h('input', { value: step.word, autocomplete: 'off', spellcheck: 'false', oninput: (e) => { step.word = e.target.value; } }))
      : h('p', { class: 'mono' }, step.word),
    h('p', { class: 'note' }, 'First you see what would go. Nothing is erased by this step.'),
    step.problem && trouble(step.problem, null),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'), h('button', { class: 'primary', disabled: step.busy }, 'Show what would go')));
}

/** figures are what goes, in numbers. @param {any} c */
function figures(c) {
  const rows = /** @type {[string, number][]} */ ([
    ['sentences', c.sentences_erased], ['facts', c.facts_erased], ['messages changed', c.messages_redacted], ['sessions deleted', c.sessions_deleted],
    ['titles, prompts and summaries', c.titles_prompts_summaries_redacted], ['jobs deleted', c.jobs_deleted], ['records of runs and answers', c.records_erased],
  ]);
  return h('table', { class: 'figures' }, h('caption', { class: 'unseen' }, 'What goes'), h('tbody', null,
    rows.filter(([, n]) => n > 0).map(([name, n]) => h('tr', { key: name }, h('th', { scope: 'row' }, name), h('td', null, number(n))))));
}

/** @param {any} c */
const whole = (c) => (c.sentences_erased ?? 0) + (c.facts_erased ?? 0) + (c.sessions_deleted ?? 0) + (c.messages_redacted ?? 0)
  + (c.titles_prompts_summaries_redacted ?? 0) + (c.jobs_deleted ?? 0) + (c.records_erased ?? 0);

/** @param {any} c */
function action(c) {
  if (c.sessions_deleted > 0) return `Forget ${plural(c.sessions_deleted, 'session')}`;
  return c.sentences_erased > 0 ? `Forget ${plural(c.sentences_erased, 'sentence')}` : `Forget ${plural(c.facts_erased ?? 0, 'fact')}`;
}

/** @param {Step} step @param {(v: any) => void} close @param {(dry: boolean) => void} ask */
function confirm(step, close, ask) {
  const c = step.count;
  const nothing = whole(c) === 0;
  const back = () => { step.count = null; step.typed = ''; change(); };
  const word = toType(step.word);
  const sure = typed(step.typed) === word;
  return h('form', { key: 'confirm', class: 'form', onsubmit: (e) => { e.preventDefault(); if (sure && !nothing) ask(false); } },
    nothing ? h('p', null, 'Nothing mentions this. There is nothing to forget.') : figures(c),
    c.samples?.length > 0 && h('section', { class: 'stack' }, h('h3', null, 'What would go, for example'), h('ul', { class: 'quotes' }, c.samples.map((/** @type {any} */ s) =>
      h('li', null, h('p', { class: 'said' }, `“${s.text}”`), h('p', { class: 'note' }, `${who(s.role)}, ${day(s.said_at)}, message ${number(s.seq)} of ${s.session_id}`))))),
    !nothing && h('label', null, h('span', null, 'This cannot be undone. To confirm, type ', h('strong', { class: 'mono' }, word)),
      h('input', { autocomplete: 'off', spellcheck: 'false', value: step.typed, oninput: (e) => { step.typed = e.target.value; change(); } })),
    step.problem && trouble(step.problem, null),
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: back }, 'Back'), h('button', { type: 'button', onclick: () => close(undefined) }, 'Cancel'),
      !nothing && h('button', { class: 'danger', disabled: !sure || step.busy }, action(c))));
}

/** @param {Step} step @param {(v: any) => void} close */
function certificate(step, close) {
  const c = step.certificate;
  const keep = () => save('certificate.json', JSON.stringify(c, null, 2), 'application/json');
  return h('div', { key: 'certificate', class: 'form' },
    h('div', { class: 'certificate' },
      h('h3', null, 'Certificate of erasure'),
      figures(c),
      h('p', { class: c.left === 0 ? 'now' : 'bad', role: 'status' }, c.left === 0 ? 'Left: 0. Every file was searched, and nothing of it is there.' : `Left: ${number(c.left)}. Something was written meanwhile; forget it again.`),
      h('table', { class: 'figures' }, h('caption', { class: 'note' }, 'Files searched'), h('tbody', null, (c.searched ?? []).map((/** @type {any} */ f) =>
        h('tr', { key: f.file }, h('th', { scope: 'row', class: 'mono' }, f.file), h('td', null, bytes(f.bytes)), h('td', null, plural(f.hits, 'hit')))))),
      h('p', { class: 'note' }, [c.at && exact(c.at), c.audit_seq && `audit number ${number(c.audit_seq)}`, c.version && `version ${c.version}`].filter(Boolean).join(', '))),
    h('div', { class: 'buttons no-print' }, h('button', { onclick: () => print() }, 'Print'), h('button', { onclick: keep }, 'Save as JSON'), h('button', { class: 'primary', onclick: () => close(true) }, 'Close')));
}
