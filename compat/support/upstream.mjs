// A model server that says what it is told to and remembers what it was asked, in
// OpenAI's format and in Anthropic's.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { message, sendMessageStream } from './messages.mjs';

/**
 * startUpstream listens on a free port. A step is one reply: text or chunks,
 * toolCalls, usage, reasoning, or a refusal (status, error, headers); breaks is
 * the error object that ends a stream early, hangs keeps it open until its client
 * leaves, between are milliseconds between chunks. A chunk of a stream in OpenAI's format may be
 * a promise, which is waited for. Queued steps go first, then reply is asked.
 */
export async function startUpstream({ reply = () => ({ text: 'ok' }), models = ['scripted-model'] } = {}) {
  const upstream = new Upstream(reply, models);
  await upstream.listen();
  return upstream;
}

class Upstream {
  #server;
  #reply;
  #models;
  #steps = [];
  /** calls are the completions and messages asked for, oldest first: { headers, body }. */
  calls = [];

  constructor(reply, models) {
    this.#reply = reply;
    this.#models = models;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async listen() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#server.unref(); // a test that fails before it closes this must still end
    this.url = `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  /** queue adds replies to those waiting. */
  queue(...steps) { this.#steps.push(...steps); }

  /** last is the body of the newest call. */
  get last() { return this.calls.at(-1)?.body; }

  async close() {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request, response) {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    if (request.url === '/v1/models') {
      return sendJSON(response, 200, { object: 'list', data: this.#models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'scripted' })) });
    }
    const asMessage = request.url === '/v1/messages';
    if (request.url.startsWith('/v1/models?')) {
      return sendJSON(response, 200, { data: this.#models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' })), has_more: false });
    }
    if (request.url !== '/v1/chat/completions' && !asMessage) return sendJSON(response, 404, { error: { message: 'unknown path' } });
    const body = JSON.parse(text);
    this.calls.push({ headers: request.headers, body });
    const step = this.#steps.shift() ?? this.#reply(body);
    if (step.status) return sendJSON(response, step.status, { type: 'error', error: step.error }, step.headers);
    if (asMessage) return body.stream ? sendMessageStream(response, body, step) : sendJSON(response, 200, message(body, step));
    return body.stream ? sendStream(response, body, step) : sendJSON(response, 200, completion(body, step));
  }
}

function sendJSON(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const head = (body, object) => ({ id: 'chatcmpl-scripted', object, created: 1_700_000_000, model: body.model });

const finish = (step) => step.finish ?? (step.toolCalls ? 'tool_calls' : 'stop');

const call = ({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } });

function usage({ input, output }) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function completion(body, step) {
  const message = { role: 'assistant', content: step.text ?? step.chunks?.join('') ?? null };
  if (step.toolCalls) message.tool_calls = step.toolCalls.map(call);
  const whole = { ...head(body, 'chat.completion'), choices: [{ index: 0, message, finish_reason: finish(step) }] };
  return step.usage ? { ...whole, usage: usage(step.usage) } : whole;
}

async function sendStream(response, body, step) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const delta = (piece, reason = null) => event({ ...head(body, 'chat.completion.chunk'), choices: [{ index: 0, delta: piece, finish_reason: reason }] });
  delta({ role: 'assistant', content: '' });
  if (step.reasoning) delta({ reasoning_content: step.reasoning });
  for await (const content of step.chunks ?? [step.text ?? '']) {
    delta({ content });
    if (step.between) await pause(step.between);
  }
  if (step.hangs) return undefined;
  if (step.breaks) {
    event({ error: step.breaks });
    return response.end();
  }
  for (const [index, { id, type, function: f }] of (step.toolCalls ?? []).map(call).entries()) {
    const half = Math.floor(f.arguments.length / 2);
    delta({ tool_calls: [{ index, id, type, function: { name: f.name, arguments: f.arguments.slice(0, half) } }] });
    delta({ tool_calls: [{ index, function: { arguments: f.arguments.slice(half) } }] });
  }
  delta({}, finish(step));
  if (step.usage && body.stream_options?.include_usage) {
    event({ ...head(body, 'chat.completion.chunk'), choices: [], usage: usage(step.usage) });
  }
  return response.end('data: [DONE]\n\n');
}
