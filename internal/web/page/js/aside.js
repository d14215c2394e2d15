// A question that is not kept: off the record, or answered from memory as it was.
import { send } from './api.js';
import { Answer } from './answer.js';
import { read } from './events.js';
import { spoken } from './message.js';
import { say } from './store.js';
import { day, endOf } from './words.js';

/**
 * aside asks, and shows the answer below the transcript in a frame of its own.
 * @param {import('./chat.js').Chat} chat @param {string} text
 * @param {{off: boolean, asOf: string, model: string}} how
 */
export async function aside(chat, text, how) {
  const note = how.asOf ? `As of ${day(`${how.asOf}T12:00:00`)}. Not kept.` : 'Off the record. Not kept.';
  const said = spoken(text, 'apart');
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
