// The WebSocket client of openai for Node, ResponsesWS, against a server with a model behind it.
import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

let upstream, server, client;

before(async () => {
  upstream = await startUpstream();
  server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
  client = new OpenAI({ baseURL: server.baseURL, apiKey: 'hermes', maxRetries: 0 });
});
after(async () => {
  await upstream?.close();
  await server?.stop();
});
beforeEach(() => { upstream.calls.length = 0; });

/** turn sends one response.create, and returns the events up to the last one of its turn. */
async function turn(socket, members) {
  socket.send({ type: 'response.create', model: 'hermes', ...members });
  const events = [];
  for await (const { type, message, error } of socket.stream()) {
    if (type === 'close') throw new Error('the connection was closed');
    if (type === 'error') return [...events, error.error ?? error];
    if (type !== 'message') continue;
    events.push(message);
    if (['response.completed', 'response.failed', 'response.incomplete'].includes(message.type)) return events;
  }
}

/** connected runs a test with a connection of its own. */
const connected = (test, options) => async () => {
  const socket = new ResponsesWS(client, options);
  socket.on('error', () => {}); // the turns look at errors themselves
  try {
    await test(socket);
  } finally {
    socket.close();
  }
};
const text = (events) => events.at(-1).response.output.flatMap((o) => o.content ?? []).map((part) => part.text).join('');

describe('ResponsesWS', () => {
  it('streams an answer', connected(async (socket) => {
    upstream.queue({ chunks: ['It ', 'rains.'], usage: { input: 9, output: 5 } });
    const events = await turn(socket, { input: 'Weather?' });
    assert.equal(events[0].type, 'response.created');
    assert.deepEqual(events.map((e) => e.sequence_number), events.map((_, i) => i));
    assert.equal(text(events), 'It rains.');
    assert.equal(events.at(-1).response.usage.total_tokens, 14);
  }));

  it('goes on with what is not stored, on the same connection', connected(async (socket) => {
    const first = await turn(socket, { store: false, input: 'The word is cobalt.' });
    const second = await turn(socket, { store: false, previous_response_id: first.at(-1).response.id, input: 'Which word?' });
    assert.equal(second.at(-1).type, 'response.completed');
    assert.ok(JSON.stringify(upstream.last.messages).includes('cobalt'));
  }));

  it('calls a tool and takes its result', connected(async (socket) => {
    const tools = [{ type: 'function', name: 'weather', strict: false, parameters: { type: 'object', properties: {} } }];
    upstream.queue({ toolCalls: [{ id: 'call_1', name: 'weather', args: { city: 'Oslo' } }] }, { text: 'It rains in Oslo.' });
    const first = await turn(socket, { tools, input: 'Weather?' });
    const call = first.at(-1).response.output.find((o) => o.type === 'function_call');
    const second = await turn(socket, {
      tools, previous_response_id: first.at(-1).response.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'rain' }],
    });
    assert.equal(text(second), 'It rains in Oslo.');
  }));

  it('remembers across connections under a session key', async () => {
    const options = { headers: { 'X-Hermes-Session-Key': 'socket' } };
    await connected((socket) => turn(socket, { input: 'My sister is called Wilhelmina.' }), options)();
    await connected((socket) => turn(socket, { input: 'What is my sister called?' }), options)();
    assert.ok(JSON.stringify(upstream.last.messages).includes('Wilhelmina'));
  });

  it('reports an error of a turn, and goes on', connected(async (socket) => {
    const failed = await turn(socket, { store: false, previous_response_id: 'resp_none', input: 'x' });
    assert.equal(failed.at(-1).code ?? failed.at(-1).error?.code, 'previous_response_not_found');
    assert.equal((await turn(socket, { input: 'Again.' })).at(-1).type, 'response.completed');
  }));
});
