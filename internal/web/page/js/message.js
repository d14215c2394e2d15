// A message of a transcript as an element, made once and changed only by hand. And why an
// answer is as it is.
import { get, part } from './api.js';
import { once } from './dialog.js';
import { draw, h, make, ready } from './dom.js';
import { figure, figures, panelOf, place, quotes, shown, Source, who } from './screen.js';
import { blocks, copied } from './nodes.js';
import { clock, day, dayClock, exact, number, plural, short, took } from './words.js';

const label = /^\[recall\]\s*/;

/**
 * unlabel takes the label off an answer from memory, and reports whether there was one.
 * @param {Block[] | undefined} nodes
 */
export function unlabel(nodes) {
  const list = nodes ?? [];
  const first = list[0]?.inlines?.[0];
  if (first?.type !== 'text' || !label.test(first.text ?? '')) return { nodes: list, recall: false };
  const inlines = [{ ...first, text: (first.text ?? '').replace(label, '') }, ...(list[0].inlines ?? []).slice(1)];
  return { nodes: [{ ...list[0], inlines }, ...list.slice(1)], recall: true };
}

/** @param {string} who @param {string | undefined} at */
export function gutter(who, at) {
  return make('div', { class: 'gutter' }, h('span', { class: 'who' }, short(who, 40)), at && h('time', { datetime: at, title: exact(at) }, clock(at)));
}

/** spoken is what a person has said just now. @param {string} text @param {string} how */
export const spoken = (text, how) => make('li', { class: `message user ${how}` },
  ready(gutter('You', new Date().toISOString())), h('div', { class: 'body' }, h('div', { class: 'words said' }, text)));

/** @param {Message} m */
function speaker(m) {
  if (m.role === 'user') return m.name || 'You';
  if (m.role === 'tool') return m.tool_name || 'Tool';
  return m.responder?.kind === 'recall' || label.test(m.content) ? 'Recall' : 'Answer';
}

/**
 * @param {Message} m @param {Doing} doing
 */
export function element(m, doing) {
  const body = make('div', { class: 'body' });
  const el = make('li', { class: `message ${m.role}${m.undone_at ? ' undone' : ''}`, id: `m${m.seq}`, tabindex: -1 });
  el.append(gutter(speaker(m), m.created_at), body);
  body.append(...words(m));
  if (m.content_length && m.content_length > m.content.length) body.append(rest(m, doing, el));
  if (m.role !== 'tool') body.append(make('div', { class: 'about' }, about(m, doing)));
  if (m.undone_at) body.append(make('p', { class: 'note' }, `Taken back on ${exact(m.undone_at)}. Models and memory no longer see it.`));
  body.append(tools(m, doing));
  return el;
}

/** @param {Message} m */
function words(m) {
  if (m.role === 'tool') return [toolLine(`${m.tool_name || 'A tool'} answered, ${plural(m.content.length, 'character')}`, m.content)];
  if (m.role === 'user') return [make('div', { class: 'words said' }, m.content)];
  const calls = (Array.isArray(m.tool_calls) ? m.tool_calls : []).map((c) => toolLine(`Called ${c.function?.name ?? 'a tool'}`, c.function?.arguments ?? ''));
  if (!m.content) return calls;
  const text = make('div', { class: 'words' });
  if (m.nodes) text.append(...blocks(unlabel(m.nodes).nodes));
  else text.append(make('p', { class: 'plain' }, m.content.replace(label, '')));
  return [text, ...calls];
}

/** ran is how a call of a tool went. @param {any} t */
export const ran = (t) => `${t.name ?? 'A tool'}, ${took(t.ms ?? 0)}, ${t.ok ? 'done' : 'failed'}`;

/** @param {string} line @param {string} inside */
export function toolLine(line, inside) {
  return make('details', { class: 'tool' }, h('summary', null, line), h('pre', { tabindex: 0 }, inside));
}

// rest shows the whole of a message that was cut.
/** @param {Message} m @param {Doing} doing @param {HTMLElement} el */
function rest(m, doing, el) {
  const show = once(async () => {
    const whole = await get(`api/sessions/${part(doing.root)}/messages/${m.seq}`, { format: 'nodes' });
    el.replaceChildren(...element({ ...whole, content_length: 0 }, doing).childNodes); // the transcript has this very element
  });
  return make('p', null, h('button', { onclick: show }, `Show all ${plural(m.content_length ?? 0, 'character')}`));
}

/** @param {Message} m @param {Doing} doing */
function tools(m, doing) {
  return make('div', { class: 'tools' },
    h('a', { href: `#/sessions/${part(doing.root)}/${m.seq}`, class: 'note', title: 'The address of this message' }, `message ${number(m.seq)}`),
    h('button', { class: 'link', onclick: once(copied(() => whole(m, doing))) }, 'Copy'),
    h('button', { class: 'link', onclick: once(() => doing.fork(m)) }, 'Fork from here'));
}

/** @param {Message} m @param {Doing} doing */
const whole = async (m, doing) => (m.content_length ? (await get(`api/sessions/${part(doing.root)}/messages/${m.seq}`)).content : m.content);

/**
 * about is what stands under an answer: what it cost, why, and what it changed. Under what a
 * person has said it is why that has no answer.
 * @param {Message} m @param {Doing} doing
 */
function about(m, doing) {
  if (m.role === 'user') return unanswered(m, doing);
  const c = m.context;
  const said = doing.hermes(m);
  const receipt = m.receipt_id ?? said?.receipt_id;
  return [
    m.finish_reason && partial(m.finish_reason),
    (c || receipt) && h('p', { class: 'note' },
      c && `${number(c.sent_tokens)} of ${number(c.budget_tokens)} tokens sent; the whole history would have been ${number(c.naive_tokens)} `,
      receipt && h('button', { class: 'link', onclick: () => doing.why(receipt) }, 'Why this answer')),
    (said?.tools ?? []).map((/** @type {any} */ t) => h('p', { class: 'note' }, ran(t))),
    changed(said),
  ];
}

const endings = /** @type {Record<string, string>} */ ({ failed: 'The answer failed', interrupted: 'The answer was cut off' });

/** ending is how a run has ended, unless that was well. @param {any} run */
export const ending = (run) => (run.status === 'cancelled' ? 'Stopped.' : [endings[run.status], run.error?.message].filter(Boolean).join(': '));

/** @param {Message} m @param {Doing} doing */
function unanswered(m, doing) {
  const run = doing.lost(m);
  return run && !m.undone_at && h('p', { class: 'note bad' }, ending(run), ' ', h('button', { class: 'link', onclick: once(async () => doing.again(await whole(m, doing))) }, 'Ask again'));
}

/** @param {string} reason */
function partial(reason) {
  const says = /** @type {Record<string, string>} */ ({
    cancelled: 'Stopped. This is the part that was said.', length: 'The model ended at its limit.',
    error: 'The model broke off. This is the part that was said.', interrupted: 'Cut off. This is the part that was said.',
    content_filter: 'The model’s filter ended the answer.',
  });
  return says[reason] && h('p', { class: 'note warn' }, says[reason]);
}

/** @param {any} said */
function changed(said) {
  if (!said) return null;
  const learned = said.learned ?? [];
  return [
    (said.reversals ?? []).map((/** @type {any} */ r) => h('p', { class: 'changed' }, h('strong', null, 'Changed: '),
      h('s', null, r.was), ' ', h('span', { class: 'said' }, r.now), r.why && !r.now.includes(r.why) && h('span', { class: 'soft' }, ' because ', h('bdi', null, r.why)))),
    learned.length > 0 && h('p', { class: 'learnt' }, h('strong', null, 'Learnt: '),
      learned.slice(0, 5).map((/** @type {any} */ l, /** @type {number} */ i) => [i > 0 && ' · ', h('bdi', null, l.statement)]),
      learned.length > 5 && ` and ${number(learned.length - 5)} more`),
  ];
}

/** @param {HTMLElement} el @param {Message} m @param {Doing} doing */
export function redo(el, m, doing) {
  const at = el.querySelector('.about');
  if (!at) return;
  at.replaceChildren();
  draw(at, about(m, doing));
}

// Why an answer is as it is: who answered, what it was given, and where that was said.
const parts = [
  ['system', 'System prompt'], ['memory', 'Memory: facts and quotes'], ['tail', 'Newest turns, verbatim'], ['input', 'Your message'], ['tools', 'Tools and their results'],
];

export class Why {
  /** @param {string} id of the receipt @param {() => void} close */
  constructor(id, close) {
    this.id = id;
    this.end = close;
    this.source = new Source((signal) => get(`api/receipts/${part(id)}`, { format: 'nodes' }, signal));
    this.source.again();
  }

  close() { this.source.close(); }

  view() {
    return panelOf(this.id, 'Why this answer', this.end, shown(this.source, (receipt) => reasons(receipt)));
  }
}

/** @param {any} r */
function reasons(r) {
  const who = r.responder?.kind === 'recall' ? 'memory alone, without a model' : r.model || r.responder?.model || 'the model';
  return [
    h('p', { class: 'note' }, `Answered by ${who} on ${dayClock(r.at)}. This is what it was given.`),
    given(r.context),
    titled('Facts', r.facts, fact),
    titled('Recalled', r.recalled, (q) => h('p', { class: 'said' }, `“${short(q.quote, 600)}”`)),
    sent(r.sent, r._lineage_root_id),
    r.tools?.length > 0 && [h('h3', null, `Tools (${r.tools.length})`), h('ul', null, r.tools.map((/** @type {any} */ t) => h('li', null, ran(t))))],
    r.system && h('details', null, h('summary', null, 'System prompt'), h('pre', { tabindex: 0 }, r.system)),
    r.settings && h('details', null, h('summary', null, 'Settings of the call'), h('pre', { tabindex: 0 }, JSON.stringify(r.settings, null, 2))),
    h('p', { class: 'note mono' }, r.id),
  ];
}

/** @param {any} c */
function given(c) {
  if (!c) return null;
  const used = parts.filter(([name]) => c[name] > 0);
  const whole = used.reduce((sum, [name]) => sum + c[name], 0) || 1;
  return [
    h('div', { class: 'bar-of', 'aria-hidden': 'true' }, used.map(([name]) => h('span', { key: name, class: `part-${name}`, css: { width: `${(c[name] / whole) * 100}%` } }))),
    figures('Tokens of the prompt, by part', [
      used.map(([name, text]) => figure(name, [h('span', { class: `swatch part-${name}` }), text], number(c[name]))),
      h('tr', { class: 'sum' }, h('th', { scope: 'row' }, `Sent, of ${number(c.budget_tokens)}`), h('td', null, number(c.sent_tokens))),
      figure('naive', 'The whole history would be', number(c.naive_tokens)),
    ]),
  ];
}

/** @param {any} f */
export const where = (f) => h('p', { class: 'note' }, `${who(f.role, f.speaker)}, ${day(f.said_at)}, `, place(f.session_id, f.seq));

/** @param {string} title @param {any[]} list @param {(item: any) => Kid} f */
const titled = (title, list, f) => list?.length > 0 && [h('h3', null, `${title} (${number(list.length)})`), quotes(list, (x) => [f(x), where(x)])];

/** @param {any} f */
const fact = (f) => [
  h('p', { class: 'said' }, f.status === 'current' ? `“${f.quote}”` : h('s', null, `“${f.quote}”`)),
  f.status !== 'current' && h('p', { class: 'note past' }, `No longer holds${f.superseded_at ? ` since ${day(f.superseded_at)}` : ''}`)];

/** @param {any[]} list @param {string} root */
function sent(list, root) {
  if (!list?.length) return null;
  return h('details', null, h('summary', null, `Newest turns (${number(list.length)})`), quotes(list, (m) => [
    h('p', { class: m.role === 'user' ? 'said' : undefined }, short(m.content, 300)),
    h('p', { class: 'note' }, `${who(m.role, m.name)}, ${day(m.created_at)}, `, place(root, m.seq))]));
}
