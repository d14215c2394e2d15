// Dialogs and short messages. What cannot be undone wants a name typed.
import { problemOf } from './api.js';
import { draw, focused, h, settle } from './dom.js';
import { decision, field, trouble } from './screen.js';
import { change, drawNow } from './store.js';
import { toType, typed } from './words.js';

/** @type {{text: string, undo?: () => any, bad?: boolean, id: number}[]} */
let messages = [];
let count = 0;
/** @type {Set<() => void>} */
const redraws = new Set();

/**
 * toast says that something was done, and offers to undo it for ten seconds.
 * @param {string} text @param {() => any} [undo] @param {boolean} [bad]
 */
export function toast(text, undo, bad) {
  const id = ++count;
  messages = [...messages.slice(-2), { text, undo, bad, id }];
  change();
  setTimeout(() => dismiss(id), bad ? 15_000 : 10_000);
}

/** @param {number} id */
function dismiss(id) {
  messages = messages.filter((m) => m.id !== id);
  change();
}

/** @param {unknown} err */
export function failed(err) {
  const { message, requestID, about } = problemOf(err);
  toast(requestID ? `${message} (${about})` : message, undefined, true);
}

/** @type {WeakSet<EventTarget>} the buttons and forms that act */
const acting = new WeakSet();
const deaf = 500; // milliseconds: the second click of a double click means nothing of its own

/**
 * once is a listener that writes, and says so if that fails. Until it is done, and for the time
 * of a double click, its button or form does nothing more. What has failed, or gives false, may
 * be tried again at once.
 * @param {(event: any) => any} f
 */
export const once = (f) => async (/** @type {any} */ event) => {
  const el = event.currentTarget;
  if (event.type === 'submit') event.preventDefault();
  if (acting.has(el)) return;
  acting.add(el);
  const least = new Promise((resolve) => { setTimeout(resolve, deaf); });
  const done = await Promise.resolve(event).then(f).catch((err) => { failed(err); return false; });
  if (done !== false) await least;
  acting.delete(el);
};

export function toasts() {
  for (const redraw of redraws) redraw();
  return h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' }, messages.map((m) => h('p', { key: m.id, class: m.bad ? 'bad' : undefined },
    m.text, ' ',
    m.undo && h('button', { class: 'link', onclick: once(() => { dismiss(m.id); return m.undo?.(); }) }, 'Undo'),
    h('button', { class: 'link', onclick: () => dismiss(m.id), 'aria-label': 'Dismiss' }, 'Dismiss'))));
}

/**
 * @param {string} title @param {(close: (value: any) => void) => Kid} body
 * @param {{stays?: boolean, wide?: boolean}} [options] stays: not closed by Esc
 */
export function dialog(title, body, options = {}) {
  return new Promise((resolve) => {
    const el = document.createElement('dialog');
    const id = `dialog-${++count}`;
    const back = focused();
    el.className = `modal ${options.wide ? 'wide' : ''} ${options.stays ? 'stays' : ''}`;
    el.setAttribute('aria-labelledby', id);
    let [value, left] = /** @type {any[]} */ ([undefined, false]);
    const close = (/** @type {any} */ v) => { value = v; el.close(); };
    // Another address closes it, and has its own place for the focus.
    const leave = () => { left = true; if (el.open && !options.stays) close(undefined); };
    const redraw = () => draw(el, h('h2', { id }, title), body(close));
    el.oncancel = (event) => { if (options.stays) event.preventDefault(); };
    el.onclose = () => {
      // What stays comes back, in its order: Esc may close several.
      if (options.stays && value === undefined) { document.querySelectorAll('.stays:not([open])').forEach((/** @type {any} */ d) => d.showModal()); return; }
      redraws.delete(redraw);
      removeEventListener('hashchange', leave);
      el.remove();
      if (!left) settle(back);
      resolve(value);
    };
    addEventListener('hashchange', leave);
    redraw();
    redraws.add(redraw);
    document.body.append(el);
    el.showModal();
  });
}

/**
 * ask asks before something is done. With a word, the word must be typed.
 * @param {{title: string, text: Kid, action: string, word?: string, danger?: boolean}} of
 */
export async function ask(of) {
  let sure = of.word === undefined;
  return (await dialog(of.title, (close) => h('form', { class: 'form', onsubmit: (e) => { e.preventDefault(); if (sure) close(true); } },
    typeof of.text === 'string' ? h('p', null, of.text) : of.text,
    of.word !== undefined && confirmation(of.word, (so) => { sure = so; change(); }),
    decision(close, of.action, { class: of.danger || of.word !== undefined ? 'danger' : 'primary', disabled: !sure })))) ?? false;
}

/**
 * confirmation is the field in which a word must be typed. The button follows at once: Enter
 * sends nothing while it is disabled, and Enter may come before the next frame.
 * @param {string} of @param {(sure: boolean) => void} set
 */
export function confirmation(of, set) {
  const word = toType(of);
  return h('label', null, h('span', null, 'This cannot be undone. To confirm, type ', h('strong', { class: 'mono' }, word)),
    h('input', { autocomplete: 'off', spellcheck: 'false', oninput: (e) => { set(typed(e.target.value) === word); drawNow(); } }));
}

/**
 * prompt asks for one line, and does something with it. If that fails, the dialog stays, with
 * what was typed.
 * @template T
 * @param {{title: string, label: string, value?: string, action: string, long?: boolean}} of
 * @param {(text: string) => Promise<T>} act
 * @returns {Promise<T | undefined>} undefined if nothing was done
 */
export function prompt(of, act) {
  /** @type {any} */
  let problem = null;
  const send = (/** @type {any} */ close) => once(async (e) => {
    const text = e.currentTarget.elements.text.value.trim();
    if (!text || text === of.value) { close(undefined); return true; }
    try {
      close(await act(text));
    } catch (err) {
      problem = problemOf(err);
      change();
      return false;
    }
    return true;
  });
  const props = { name: 'text', required: true, rows: 4, autocomplete: 'off', ref: (/** @type {any} */ el) => { el.value = of.value ?? ''; } };
  return dialog(of.title, (close) => h('form', { class: 'form', onsubmit: send(close) },
    field(of.label, props, of.long ? 'textarea' : 'input'),
    problem && trouble(problem, null),
    decision(close, of.action)));
}
