// The field to say something in: its draft, its keys, and the ways to ask that are not
// kept.
import { Answer } from './answer.js';
import { get, send } from './api.js';
import { failed } from './dialog.js';
import { draw, h, make } from './dom.js';
import { read } from './events.js';
import { spoken } from './message.js';
import { check, choice } from './screen.js';
import { change, say, tab } from './store.js';
import { day, endOf, plural } from './words.js';

/** @typedef {import('./chat.js').Chat} Chat */

const touch = matchMedia('(pointer: coarse)');

// A longer text stays out of the field when it is pasted: browsers lay 2 MB out for minutes.
const longest = 100_000;

/** @type {Set<string>} the drafts that are on their way: they stay where a reload finds them */
const leaving = new Set();

export class Compose {
  /** @param {Chat} chat */
  constructor(chat) {
    this.chat = chat;
    this.root = '';
    this.options = false;
    this.off = false;
    this.asOf = '';
    this.pasted = '';
    this.model = '';
    /** @type {string[]} */
    this.models = [];
    this.field = make('textarea', {
      rows: 1, class: 'said', placeholder: 'Say something, or ask', 'aria-label': 'Say something, or ask',
      oninput: () => this.typed(), onkeydown: (e) => this.key(e), onpaste: (e) => this.paste(e),
    });
    this.el = make('form', { class: 'compose', onsubmit: (e) => { e.preventDefault(); this.send(); } });
    this.row = make('div', { class: 'compose-row' });
    this.more = make('div');
    this.el.append(this.field, this.row, this.more);
    new ResizeObserver(() => this.size()).observe(this.row); // once it is seen, too
    this.draw();
  }

  get draft() { return `draft:${this.root || 'new'}`; }

  // pastes is where a long text waits. No id of a session has a line break.
  get pastes() { return `draft:\n${this.root}`; }

  /** open shows the draft of a session. @param {string} root */
  open(root) {
    this.root = root;
    const mine = !leaving.has(this.draft);
    this.field.value = (mine && tab.get(this.draft)) || '';
    this.size();
    this.pasted = (mine && tab.get(this.pastes)) || '';
    this.draw();
  }

  // carry takes what is not yet said to a new session.
  carry() {
    for (const [from, to] of [[this.draft, 'draft:new'], [this.pastes, 'draft:\n']]) {
      tab.set(to, [tab.get(to), tab.get(from)].filter(Boolean).join('\n\n'));
      tab.set(from, null);
    }
  }

  typed() {
    tab.set(this.draft, this.field.value);
    this.size();
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text.length < longest) return;
    event.preventDefault();
    this.keep([this.pasted, text].filter(Boolean).join('\n\n'));
    say('The pasted text goes with your message.');
  }

  /** keep has a long text wait for the next message. @param {string} text */
  keep(text) {
    this.pasted = text;
    tab.set(this.pastes, text);
    this.draw();
  }

  // size makes the field as high as its text.
  size() {
    const { style } = this.field;
    style.height = 'auto';
    style.height = `${Math.min(this.field.scrollHeight + 2, 320)}px`;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    // An input method ends its composition with Enter; 229 is what Safari says then.
    if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return;
    if (event.shiftKey || touch.matches) return;
    event.preventDefault();
    this.send();
  }

  async send() {
    const { draft: from, pastes, pasted } = this;
    const typed = this.field.value.trim();
    const text = [typed, pasted.trim()].filter(Boolean).join('\n\n');
    if (!text || leaving.has(from)) return;
    const here = () => this.chat.fresh !== undefined && this.draft === from;
    leaving.add(from);
    this.field.value = this.pasted = '';
    this.size();
    this.draw();
    try {
      if (this.off || this.asOf) await aside(this.chat, text, this);
      else await this.chat.live.say(text, this.model);
      // What was typed meanwhile, where the session was opened again, is a draft of its own.
      if (here() || tab.get(from)?.trim() === typed) tab.set(from, null);
      if (tab.get(pastes) === pasted) tab.set(pastes, null);
    } catch (err) {
      failed(err);
      // Nothing that was typed is lost. Where another session is on view, it is the draft of its own.
      if (here() && !this.field.value) this.field.value = typed;
      if (here() && !this.pasted) this.pasted = pasted;
    } finally {
      leaving.delete(from);
      if (here()) {
        this.root = this.chat.root;
        this.typed();
      }
      change();
    }
  }

  async choose() {
    this.options = !this.options;
    this.draw();
    if (this.models.length === 0) {
      const list = await get('v1/models').catch(() => ({ data: [] }));
      this.models = list.data.map((/** @type {any} */ m) => m.id);
      this.draw();
    }
  }

  draw() {
    const special = [this.off && 'off the record', this.asOf && `as of ${this.asOf}`, this.model].filter(Boolean).join(', ');
    draw(this.row,
      h('p', { class: 'note' }, special ? `This message: ${special}` : leaving.has(this.draft) ? 'What you said is being sent' : touch.matches ? 'Enter breaks the line' : 'Enter sends, Shift+Enter breaks the line'),
      h('button', { type: 'button', class: 'link', 'aria-expanded': String(this.options), onclick: () => this.choose() }, 'Options'),
      this.chat.live?.busy && h('button', { key: 'stop', type: 'button', onclick: () => this.chat.live.stopNow() }, 'Stop'),
      h('button', { key: 'send', class: 'primary' }, 'Send'));
    draw(this.more, this.pasted && h('p', { class: 'note' }, `A pasted text of ${plural(this.pasted.length, 'character')} goes with your message. `,
      h('button', { type: 'button', class: 'link', onclick: () => this.keep('') }, 'Remove')), this.options && h('div', { class: 'options' },
      h('label', null, 'Model', choice([['', 'as configured'], ...this.models.map((m) => /** @type {[string, string]} */ ([m, m]))], this.model, (to) => { this.model = to; this.draw(); })),
      check('Off the record: not kept, not learnt', this.off, (so) => { this.off = so; this.draw(); }),
      h('label', null, 'As of', h('input', { type: 'date', value: this.asOf, onchange: (e) => { this.asOf = e.target.value; this.draw(); } }))));
    this.el.classList.toggle('apart', this.off || this.asOf !== '');
  }
}

// A question that is not kept: off the record, or answered from memory as it was.
/**
 * aside asks, and shows the answer below the transcript in a frame of its own.
 * @param {import('./chat.js').Chat} chat @param {string} text
 * @param {{off: boolean, asOf: string, model: string}} how
 */
async function aside(chat, text, how) {
  const note = how.asOf ? `As of ${day(`${how.asOf}T12:00:00`)}. Not kept.` : 'Off the record. Not kept.';
  const said = spoken(text, 'apart');
  const answer = new Answer((f) => chat.transcript.keep(f), note);
  chat.transcript.add(said, answer.el);
  chat.toEnd();
  say('Answering');
  try {
    await ask(text, { ...how, session: chat.root }, (piece) => answer.tell({ type: 'message.delta', content: piece }));
  } catch (err) {
    chat.transcript.drop(said, answer.el);
    throw err;
  }
  answer.end('');
  say('Answered');
}

/**
 * ask asks a question that is not kept, and tells the answer as it comes.
 * @param {string} text
 * @param {{off: boolean, asOf: string, model: string, session: string, key?: string}} how
 * @param {(piece: string) => void} tell
 */
export async function ask(text, how, tell) {
  const answer = await send('POST', 'v1/chat/completions', {
    body: { model: how.model || 'hermes', stream: true, messages: [{ role: 'user', content: text }] },
    headers: {
      ...(how.asOf ? { 'x-hermes-as-of': endOf(how.asOf) } : { 'x-hermes-store': 'none' }), // either of them keeps it from being stored
      ...(how.session && { 'x-hermes-session-id': how.session }), ...(how.key && { 'x-hermes-session-key': how.key }),
    },
  });
  await read(answer, ({ data }) => {
    if (data?.error) throw new Error(data.error.message);
    const piece = data?.choices?.[0]?.delta?.content;
    if (piece) tell(piece);
  });
}
