// Counts what a prompt costs, with OpenAI's own vocabulary: an opinion
// independent of the server's.
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';

const vocabulary = new Tiktoken(o200k);
const known = new Map(); // most of a prompt is what the last one had

function count(text) {
  let n = known.get(text);
  if (n === undefined) {
    n = vocabulary.encode(text, [], []).length;
    known.set(text, n);
  }
  return n;
}

const messageOverhead = 4; // role and separators

/** promptTokens counts the messages of a request body. */
export function promptTokens(body) {
  let n = 0;
  for (const m of body.messages) {
    const text = typeof m.content === 'string' ? m.content : JSON.stringify(m.content ?? '');
    n += messageOverhead + count(text);
    if (m.tool_calls) n += count(JSON.stringify(m.tool_calls));
  }
  return n;
}

/** textOf is everything in the messages of a request body, for searching. */
export function textOf(body) { return JSON.stringify(body.messages); }
