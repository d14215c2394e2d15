// The Responses API of openai for Node against a server with a model behind it.
import { after, beforeEach, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
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

const model = 'hermes';
const create = (body, options) => client.responses.create({ model, ...body }, options);

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}
const sent = () => upstream.last.messages.map((m) => [m.role, m.content]);

const weather = { type: 'function', name: 'weather', description: 'The weather of a city', strict: true, parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false } };
const weatherCall = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };
const rich = { reasoning: 'Hm.', chunks: ['It ', 'rains', '.'], toolCalls: [weatherCall, { id: 'call_2', name: 'weather', args: { city: 'Lima' } }], usage: { input: 9, output: 5 } };

describe('create', () => {
  it('answers', async () => {
    upstream.queue({ text: 'Hello, Alex.', usage: { input: 11, output: 4 } });
    const { data, response } = await create({ input: 'I am Alex.', metadata: { a: 'b' } }).withResponse();
    assert.equal(data.object, 'response');
    assert.equal(data.status, 'completed');
    assert.equal(data.output_text, 'Hello, Alex.');
    assert.deepEqual(data.metadata, { a: 'b' });
    assert.deepEqual([data.usage.input_tokens, data.usage.output_tokens, data.usage.total_tokens], [11, 4, 15]);
    assert.equal(data.hermes.session_id, response.headers.get('x-hermes-session-id'));
  });

  it('streams', async () => {
    upstream.queue(rich);
    const events = await collect(await create({ input: 'Weather?', stream: true }));
    assert.deepEqual(events.map((e) => e.sequence_number), events.map((_, i) => i));
    assert.equal(events[0].type, 'response.created');
    const last = events.at(-1);
    assert.equal(last.type, 'response.completed');
    assert.deepEqual(last.response.output.map((o) => o.type), ['reasoning', 'message', 'function_call', 'function_call']);
    const text = events.filter((e) => e.type === 'response.output_text.delta').map((e) => e.delta).join('');
    assert.equal(text, 'It rains.');
    assert.ok(last.response.hermes.session_id);
  });

  it('streams with the helper', async () => {
    upstream.queue(rich);
    let text = '';
    const stream = client.responses.stream({ model, input: 'Weather?', tools: [weather] }).on('response.output_text.delta', (e) => { text += e.delta; });
    const final = await stream.finalResponse();
    assert.equal(text, 'It rains.');
    assert.equal(final.output_text, 'It rains.');
    assert.deepEqual(final.output.filter((o) => o.type === 'function_call').map((o) => o.parsed_arguments), [{ city: 'Oslo' }, { city: 'Lima' }]);
  });

  it('raises what the upstream refuses, and what breaks in the middle', async () => {
    upstream.queue({ status: 429, headers: { 'retry-after': '7' }, error: { message: 'Slow down.', code: 'rate_limit_exceeded' } });
    await assert.rejects(create({ input: 'hello' }), (err) => err instanceof OpenAI.RateLimitError && err.headers.get('retry-after') === '7');
    upstream.queue({ chunks: ['Half an ans'], breaks: { message: 'The model fell over.', code: 'overloaded' } });
    const stream = await create({ input: 'hello', stream: true });
    let text = '';
    await assert.rejects(async () => { for await (const e of stream) text += e.delta ?? ''; }, OpenAI.APIError);
    assert.equal(text, 'Half an ans');
    await assert.rejects(create({ input: [] }), OpenAI.BadRequestError);
    await assert.rejects(create({ input: 'x', tools: [{ type: 'function' }] }), (err) => err.param === 'tools[0].name');
  });

  it('leaves out hosted tools, and runs a custom tool', async () => {
    upstream.queue({ toolCalls: [{ id: 'call_1', name: 'apply_patch', args: { input: '*** Begin\n' } }] }, { text: 'Done.' });
    const tools = [{ type: 'web_search' }, { type: 'custom', name: 'apply_patch', description: 'Edits files.' }];
    const { data, response } = await create({ input: 'Edit it.', tools }).withResponse();
    assert.equal(response.headers.get('x-hermes-tools-omitted'), 'web_search');
    assert.deepEqual(upstream.last.tools.map((t) => t.function.name), ['apply_patch']);
    const [call] = data.output;
    assert.deepEqual([call.type, call.name, call.input], ['custom_tool_call', 'apply_patch', '*** Begin\n']);
    const second = await create({ previous_response_id: data.id, tools, input: [{ type: 'custom_tool_call_output', call_id: call.call_id, output: 'ok' }] });
    assert.equal(second.output_text, 'Done.');
    assert.deepEqual(upstream.last.messages.map((m) => m.role), ['user', 'assistant', 'tool']);
  });

  it('parses structured output', async () => {
    upstream.queue({ text: '{"city":"Oslo"}' });
    const format = { type: 'json_schema', name: 'place', strict: true, schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false } };
    const answer = await client.responses.parse({ model, input: 'Where?', text: { format } });
    assert.deepEqual(answer.output_parsed, { city: 'Oslo' });
    assert.deepEqual(upstream.last.response_format, { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: format.schema } });
  });
});

describe('conversation', () => {
  it('chains by previous_response_id, instructions apart', async () => {
    upstream.queue({ text: 'Hello.' }, { text: 'Alex.' }, { text: 'Alex, still.' });
    const first = await create({ input: 'I am Alex.', instructions: 'Be brief.' });
    const second = await create({ input: 'Who am I?', previous_response_id: first.id });
    assert.equal(second.previous_response_id, first.id);
    assert.equal(second.hermes.lineage_root_id, first.hermes.lineage_root_id);
    assert.deepEqual(sent(), [['user', 'I am Alex.'], ['assistant', 'Hello.'], ['user', 'Who am I?']]);
    const branch = await create({ input: 'And now?', previous_response_id: first.id });
    assert.notEqual(branch.hermes.lineage_root_id, first.hermes.lineage_root_id);
    assert.deepEqual(sent(), [['user', 'I am Alex.'], ['assistant', 'Hello.'], ['user', 'And now?']]);
    await assert.rejects(create({ input: 'x', previous_response_id: 'resp_0' }), OpenAI.NotFoundError);
    await assert.rejects(create({ input: 'x', previous_response_id: first.id, conversation: 'c' }), OpenAI.BadRequestError);
  });

  it('chains by conversation', async () => {
    upstream.queue({ text: 'Hello.' }, { text: 'Alex.' });
    const first = await create({ input: 'I am Alex.', conversation: 'conv:alex' });
    assert.equal(first.conversation.id, 'conv:alex');
    await create({ input: 'Who am I?', conversation: { id: 'conv:alex' } });
    assert.deepEqual(sent(), [['user', 'I am Alex.'], ['assistant', 'Hello.'], ['user', 'Who am I?']]);
  });

  it('is an object with items', async () => {
    const made = await client.conversations.create({ metadata: { topic: 'names' }, items: [{ type: 'message', role: 'user', content: 'I am Alex.' }] });
    assert.deepEqual([made.object, made.metadata], ['conversation', { topic: 'names' }]);
    upstream.queue({ text: 'Alex.' });
    const answer = await create({ input: 'Who am I?', conversation: made.id });
    assert.equal(answer.conversation.id, made.id);
    assert.deepEqual(sent(), [['user', 'I am Alex.'], ['user', 'Who am I?']]);
    const added = await client.conversations.items.create(made.id, { items: [{ role: 'user', content: 'Thanks.' }, { role: 'assistant', content: 'Welcome.' }] });
    assert.equal(added.data.length, 2);
    const items = [];
    for await (const item of client.conversations.items.list(made.id, { limit: 2, order: 'asc' })) items.push(item);
    assert.deepEqual(items.map((i) => i.content[0].text), ['I am Alex.', 'Who am I?', 'Alex.', 'Thanks.', 'Welcome.']);
    const place = { conversation_id: made.id };
    assert.deepEqual(await client.conversations.items.retrieve(items[2].id, place), items[2]);
    assert.equal((await client.conversations.items.retrieve(answer.output[0].id, place)).content[0].text, 'Alex.');
    await assert.rejects(client.conversations.items.delete(items[0].id, place), OpenAI.ConflictError);
    assert.equal((await client.conversations.items.delete(items[4].id, place)).id, made.id);
    assert.equal((await client.conversations.items.list(made.id)).data[0].content[0].text, 'Thanks.');
    assert.deepEqual((await client.conversations.update(made.id, { metadata: { topic: 'tea' } })).metadata, { topic: 'tea' });
    assert.deepEqual(await client.conversations.retrieve(made.id), { ...made, metadata: { topic: 'tea' } });
    assert.deepEqual(await client.conversations.delete(made.id), { id: made.id, object: 'conversation.deleted', deleted: true });
    await assert.rejects(client.conversations.retrieve(made.id), OpenAI.NotFoundError);
  });

  it('is counted and compacted', async () => {
    const input = [{ role: 'user', content: 'I am Alex.' }, { role: 'assistant', content: 'Hello.' }, { role: 'user', content: 'Who am I?' }];
    const counted = await client.responses.inputTokens.count({ model, input });
    assert.equal(counted.object, 'response.input_tokens');
    assert.ok(counted.input_tokens > 8 && counted.input_tokens < 40, `got ${counted.input_tokens}`);
    const compacted = await client.responses.compact({ model, input });
    assert.deepEqual([compacted.object, compacted.output.map((o) => o.type)], ['response.compaction', ['compaction']]);
    await create({ input: [...compacted.output, { role: 'user', content: 'And now?' }], store: false });
    assert.equal(sent().at(-1)[1], 'And now?');
    assert.equal(sent().at(-2)[1], 'Who am I?');
  });

  it('runs a loop of tools', async () => {
    upstream.queue({ toolCalls: [weatherCall] }, { text: 'It rains in Oslo.' });
    const first = await create({ input: 'Weather in Oslo?', tools: [weather] });
    const call = first.output.find((o) => o.type === 'function_call');
    assert.deepEqual(JSON.parse(call.arguments), { city: 'Oslo' });
    const second = await create({ previous_response_id: first.id, tools: [weather], input: [{ type: 'function_call_output', call_id: call.call_id, output: 'rain' }] });
    assert.equal(second.output_text, 'It rains in Oslo.');
    assert.deepEqual(upstream.last.messages.map((m) => m.role), ['user', 'assistant', 'tool']);
    assert.equal(upstream.last.messages[2].tool_call_id, 'call_1');
    await assert.rejects(create({ previous_response_id: first.id, input: [{ type: 'function_call_output', call_id: 'call_9', output: 'x' }] }), (err) => err.status === 400 && err.code === 'tool_call_not_found');
  });

  it('runs a loop of tools with its own history', async () => {
    upstream.queue({ toolCalls: [weatherCall] }, { text: 'It rains in Oslo.' });
    const input = [{ role: 'user', content: 'Weather in Oslo?' }];
    const first = await create({ input, tools: [weather], store: false });
    input.push(...first.output, { type: 'function_call_output', call_id: 'call_1', output: 'rain' });
    assert.equal((await create({ input, tools: [weather], store: false })).output_text, 'It rains in Oslo.');
    assert.deepEqual(upstream.last.messages.map((m) => m.role), ['user', 'assistant', 'tool']);
  });
});

describe('a stored response', () => {
  it('is retrieved, listed and deleted', async () => {
    upstream.queue({ text: 'Hello.' });
    const made = await create({ input: [{ role: 'user', content: 'one' }, { role: 'assistant', content: 'two' }, { role: 'user', content: [{ type: 'input_text', text: 'three' }] }] });
    const got = await client.responses.retrieve(made.id);
    assert.deepEqual(got, made);
    const texts = [];
    for await (const item of client.responses.inputItems.list(made.id, { limit: 2, order: 'asc' })) texts.push(item.content[0].text);
    assert.deepEqual(texts, ['one', 'two', 'three']);
    await client.responses.delete(made.id);
    await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
    await assert.rejects(client.responses.delete(made.id), OpenAI.NotFoundError);
  });

  it('is not there when it was not to be stored', async () => {
    const made = await create({ input: 'hello', store: false });
    await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
  });

  it('runs in the background, and is cancelled', async () => {
    upstream.queue({ text: 'Done.' }, { chunks: ['Half '], hangs: true });
    let made = await create({ input: 'work', background: true });
    while (made.status === 'queued' || made.status === 'in_progress') made = await client.responses.retrieve(made.id);
    assert.equal(made.output_text, 'Done.');
    const asked = upstream.calls.length;
    const long = await create({ input: 'work long', background: true });
    // A run that is cancelled before it asks the upstream would leave the step to the next test.
    while (upstream.calls.length === asked) await new Promise((done) => setTimeout(done, 5));
    const cancelled = await client.responses.cancel(long.id);
    assert.equal(cancelled.status, 'cancelled');
    assert.equal((await client.responses.retrieve(long.id)).status, 'cancelled');
  });
});

describe('a stream', () => {
  it('that is cut off behind any event goes on without a gap and without a repetition', async () => {
    let lost = 0, repeated = 0, cuts = 0;
    for (let cut = 1, total = 2; cut < total; cut++, cuts++) {
      upstream.queue(rich);
      const stream = await create({ input: `Weather, ${cut}?`, stream: true });
      const events = [];
      for await (const event of stream) {
        events.push(event);
        if (events.length === cut) break; // closes the connection
      }
      const id = events[0].response.id;
      events.push(...await collect(await client.responses.retrieve(id, { stream: true, starting_after: events.at(-1).sequence_number })));
      const whole = await collect(await client.responses.retrieve(id, { stream: true }));
      const numbers = events.map((e) => e.sequence_number);
      repeated += numbers.length - new Set(numbers).size;
      lost += whole.filter((e) => !numbers.includes(e.sequence_number)).length;
      assert.deepEqual(events, whole);
      total = whole.length;
    }
    assert.deepEqual({ lost, repeated }, { lost: 0, repeated: 0 });
    assert.ok(cuts > 15, `got only ${cuts} cuts`);
  });

  it('is followed again by the helper', async () => {
    upstream.queue(rich);
    const first = await create({ input: 'Weather?', stream: true });
    let id;
    for await (const event of first) { id = event.response.id; break; }
    const final = await client.responses.stream({ response_id: id, starting_after: 4 }).finalResponse();
    assert.equal(final.output_text, 'It rains.');
  });

  it('goes on with the next server', async () => {
    const home = server.home;
    upstream.queue({ chunks: ['It '], hangs: true }, { chunks: ['It ', 'rains.'] });
    const first = await create({ input: 'Weather?', stream: true, conversation: 'restart' });
    const events = [];
    for await (const event of first) {
      events.push(event);
      if (event.type === 'response.output_text.delta') break;
    }
    await server.kill();
    server = await startHermes({ home, env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
    client = new OpenAI({ baseURL: server.baseURL, apiKey: 'hermes', maxRetries: 0 });
    events.push(...await collect(await client.responses.retrieve(events[0].response.id, { stream: true, starting_after: events.at(-1).sequence_number })));
    assert.deepEqual(events.map((e) => e.sequence_number), events.map((_, i) => i));
    assert.equal(events.at(-1).type, 'response.completed');
    assert.deepEqual(events.at(-1).response.output.map((o) => o.content[0].text), ['It rains.']);
  });
});
