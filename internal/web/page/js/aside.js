// A question that is not kept: off the record, or answered from memory as it was.
import { send } from './api.js';
import { Answer } from './answer.js';
import { make } from './dom.js';
import { read } from './events.js';
import { gutter } from './message.js';
import { say } from './store.js';
import { day } from './words.js';

/**
 * endOf is the last moment of a day, in the zone of whoever looks.
 * @param {string} date
 */
export const endOf = (date) => new Date(`${date}T23:59:59.999`).toISOString();

/**
 * headersOf are what makes a question one that is not kept.
 * @param {{off: boolean, asOf: string}} how
 * @returns {Record<string, string>}
 */
const headersOf = (how) => ({
  ...(how.asOf ? { 'x-hermes-as-of': endOf(how.asOf) } : { 'x-hermes-store': 'none' }),
});

/**
 * aside asks, and shows the answer below the transcript in a frame of its own.
 * @param {import('./chat.js').Chat} chat @param {string} text
 * @param {{off: boolean, asOf: string, model: string}} how
 */
export async function aside(chat, text, how) {
  const note = how.asOf ? `As of ${day(`${how.asOf}T12:00:00`)}. Not kept.` : 'Off the record. Not kept.';
  const said = make('li', { class: 'message user apart' });
  const body = make('div', { class: 'body' });
  body.append(make('div', { class: 'words said' }, text));
  said.append(gutter('You', new Date().toISOString()), body);
  const answer = new Answer((f) => chat.transcript.keep(f), note);
  chat.transcript.add(said, answer.el);
  chat.transcript.toEnd();
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
    headers: { ...headersOf(how), ...(how.session && { 'x-hermes-session-id': how.session }), ...(how.key && { 'x-hermes-session-key': how.key }) },
  });
  await read(answer, ({ data }) => {
    if (data?.error) throw new Error(data.error.message);
    const piece = data?.choices?.[0]?.delta?.content;
    if (piece) tell(piece);
  });
}
