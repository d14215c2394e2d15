// openai for Node against a server with a model behind it.
import { after, beforeEach, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

let upstream, server, client;

before(async () => {
  upstream = await startUpstream({ models: ['scripted-model', 'other-model'] });
  server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
  client = new OpenAI({ baseURL: server.baseURL, apiKey: 'hermes', maxRetries: 0 });
});
after(async () => {
  await upstream?.close();
  await server?.stop();
});
beforeEach(() => { upstream.calls.length = 0; });

// session is the option that names a session, a new one for each test.
let sessions = 0;
const newSession = () => ({ headers: { 'X-Hermes-Session-Id': `test:${++sessions}` } });
const user = (content) => ({ role: 'user', content });
const ask = (content, options, more = {}) => client.chat.completions.create({ model: 'hermes', messages: [user(content)], ...more }, options);

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
const contentOf = (chunks) => chunks.map((c) => c.choices[0]?.delta.content ?? '').join('');

const weather = {
  type: 'function',
  function: {
    name: 'weather', description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const weatherCall = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };

describe('models', () => {
  it('lists hermes and what the upstream has', async () => {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.ok(ids.includes('hermes'), `got ${ids}`);
    assert.ok(ids.includes('scripted-model') && ids.includes('other-model'), `got ${ids}`);
  });

  it('asks the upstream for the configured model, or for the one named', async () => {
    await ask('hello', newSession());
    assert.equal(upstream.last.model, 'scripted-model');
    await ask('hello', newSession(), { model: 'other-model' });
    assert.equal(upstream.last.model, 'other-model');
  });
});

describe('chat', () => {
  it('answers', async () => {
    upstream.queue({ text: 'Hello, Alex.', usage: { input: 11, output: 4 } });
    const answer = await ask('I am Alex.', newSession());
    assert.equal(answer.object, 'chat.completion');
    assert.equal(answer.choices[0].message.content, 'Hello, Alex.');
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.equal(answer.usage.total_tokens, 15);
    assert.equal(answer.hermes.responder, 'upstream');
  });

  it('shows the session with withResponse', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'hermes', messages: [user('hello')] }, { headers: { 'X-Hermes-Session-Id': 'repo:acme/backend' } })
      .withResponse();
    assert.equal(response.headers.get('x-hermes-session-id'), 'repo:acme/backend');
    assert.equal(response.headers.get('x-hermes-session-created'), 'true');
    assert.equal(data.hermes.session_id, 'repo:acme/backend');
  });

  it('gives a client without a session a fresh one each time', async () => {
    const ids = [];
    for (const text of ['hello', 'hello']) {
      const { response } = await ask(text).withResponse();
      ids.push(response.headers.get('x-hermes-session-id'));
    }
    assert.ok(ids[0] && ids[1] && ids[0] !== ids[1], `got ${ids}`);
  });

  it('forwards parameters it does not know', async () => {
    const extra = {
      temperature: 0.25, seed: 7, top_p: 0.5, stop: ['END'], logit_bias: { 50256: -100 }, metadata: { a: 'b' },
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
      a_parameter_of_tomorrow: { deep: [1, 2.5, null, 'ü'] },
    };
    await ask('hello', newSession(), extra);
    for (const [name, value] of Object.entries(extra)) assert.deepEqual(upstream.last[name], value, name);
  });

  it('forwards content parts', async () => {
    const parts = [
      { type: 'text', text: 'What is on this picture?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
    ];
    await ask(parts, newSession());
    assert.deepEqual(upstream.last.messages.at(-1).content, parts);
  });

  it('puts a system message in front, for this request alone', async () => {
    const session = newSession();
    const system = { role: 'system', content: 'Answer in Latin.' };
    await client.chat.completions.create({ model: 'hermes', messages: [system, user('hello')] }, session);
    assert.equal(upstream.last.messages[0].role, 'system');
    assert.match(upstream.last.messages[0].content, /Answer in Latin\./);
    await ask('and now?', session);
    assert.doesNotMatch(JSON.stringify(upstream.last.messages), /Latin/);
  });
});

describe('streams', () => {
  it('arrive piece by piece, with the session on the finish chunk', async () => {
    upstream.queue({ chunks: ['One', ', two', ', three.'] });
    const chunks = await collect(await ask('count', newSession(), { stream: true }));
    assert.equal(contentOf(chunks), 'One, two, three.');
    assert.ok(chunks.every((c) => c.choices.length === 1), 'a chunk without choices although no usage was asked for');
    const last = chunks.at(-1);
    assert.equal(last.choices[0].finish_reason, 'stop');
    assert.equal(last.hermes.session_id, `test:${sessions}`);
  });

  it('have one id, and name the role once', async () => {
    upstream.queue({ chunks: ['One', ', two'] });
    const chunks = await collect(await ask('count', newSession(), { stream: true }));
    // openai-go drops what comes under another id, openai for Python joins
    // every role it is sent into one word.
    assert.deepEqual([...new Set(chunks.map((c) => c.id))], [chunks[0].id]);
    assert.deepEqual(chunks.map((c) => c.choices[0].delta.role).filter(Boolean), ['assistant']);
  });

  it('carry usage if it is asked for', async () => {
    upstream.queue({ text: 'Hi.', usage: { input: 9, output: 2 } });
    const chunks = await collect(await ask('hello', newSession(), { stream: true, stream_options: { include_usage: true } }));
    const [usage] = chunks.filter((c) => c.choices.length === 0);
    assert.equal(usage, chunks.at(-1));
    assert.deepEqual(usage.usage, { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 });
  });

  it('carry usage even if the upstream sends none', async () => {
    const chunks = await collect(await ask('hello', newSession(), { stream: true, stream_options: { include_usage: true } }));
    assert.ok(chunks.at(-1).usage.total_tokens > 0);
  });

  it('work with the stream helper', async () => {
    upstream.queue({ chunks: ['a', 'b'] });
    const runner = client.chat.completions.stream({ model: 'hermes', messages: [user('hello')] }, newSession());
    assert.equal(await runner.finalContent(), 'ab');
  });

  it('raise an error that ends them early', async () => {
    upstream.queue({ chunks: ['Half an ans'], breaks: { message: 'The model fell over.', type: 'server_error', code: 'overloaded' } });
    const stream = await ask('hello', newSession(), { stream: true });
    let content = '';
    await assert.rejects(async () => {
      for await (const chunk of stream) content += chunk.choices[0].delta.content ?? '';
    }, OpenAI.APIError);
    assert.equal(content, 'Half an ans');
  });
});

describe('tools', () => {
  it('are called, and the result alone continues the turn', async () => {
    const session = newSession();
    upstream.queue({ toolCalls: [weatherCall] }, { text: 'It rains in Oslo.' });
    const first = await ask('How is the weather in Oslo?', session, { tools: [weather] });
    assert.equal(first.choices[0].finish_reason, 'tool_calls');
    const [call] = first.choices[0].message.tool_calls;
    assert.equal(call.function.name, 'weather');
    assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Oslo' });
    assert.deepEqual(upstream.last.tools, [weather]);

    const second = await client.chat.completions.create(
      { model: 'hermes', tools: [weather], messages: [{ role: 'tool', tool_call_id: call.id, content: 'rain, 8 °C' }] }, session);
    assert.equal(second.choices[0].message.content, 'It rains in Oslo.');
    pairedOnce(upstream.last);
  });

  it('are called in a stream', async () => {
    const session = newSession();
    upstream.queue({ toolCalls: [weatherCall] }, { text: 'It rains.' });
    const chunks = await collect(await ask('How is the weather in Oslo?', session, { tools: [weather], stream: true }));
    const parts = chunks.flatMap((c) => c.choices[0].delta.tool_calls ?? []);
    assert.equal(parts[0].id, 'call_1');
    assert.deepEqual(JSON.parse(parts.map((p) => p.function.arguments ?? '').join('')), { city: 'Oslo' });
    assert.equal(chunks.at(-1).choices[0].finish_reason, 'tool_calls');

    const answer = await collect(await client.chat.completions.create(
      { model: 'hermes', tools: [weather], stream: true, messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'rain, 8 °C' }] }, session));
    assert.equal(contentOf(answer), 'It rains.');
    pairedOnce(upstream.last);
  });

  it('run with runTools, which resends the whole history', async () => {
    upstream.queue({ toolCalls: [weatherCall] }, { text: 'It rains in Oslo.' });
    const asked = [];
    const runner = client.chat.completions.runTools({
      model: 'hermes', messages: [user('How is the weather in Oslo?')],
      tools: [{
        type: 'function',
        function: { ...weather.function, parse: JSON.parse, function: ({ city }) => { asked.push(city); return 'rain, 8 °C'; } },
      }],
    }, newSession());
    assert.equal(await runner.finalContent(), 'It rains in Oslo.');
    assert.deepEqual(asked, ['Oslo']);
    assert.equal(upstream.calls.length, 2);
    pairedOnce(upstream.last);
  });

  it('run with runTools in a stream', async () => {
    upstream.queue({ toolCalls: [weatherCall] }, { chunks: ['It ', 'rains.'] });
    const runner = client.chat.completions.runTools({
      model: 'hermes', stream: true, messages: [user('How is the weather in Oslo?')],
      tools: [{ type: 'function', function: { ...weather.function, parse: JSON.parse, function: () => 'rain, 8 °C' } }],
    }, newSession());
    assert.equal(await runner.finalContent(), 'It rains.');
    pairedOnce(upstream.last);
  });

  it('are refused a result that nobody called for', async () => {
    await assert.rejects(client.chat.completions.create(
      { model: 'hermes', messages: [{ role: 'tool', tool_call_id: 'call_9', content: 'rain' }] }, newSession()), OpenAI.BadRequestError);
    assert.equal(upstream.calls.length, 0);
  });

  // pairedOnce checks that a model was sent the question, its own call and the
  // result, in this order and each once.
  function pairedOnce({ messages }) {
    const turn = messages.filter((m) => m.role !== 'system');
    assert.deepEqual(turn.map((m) => m.role), ['user', 'assistant', 'tool']);
    assert.equal(turn[0].content, 'How is the weather in Oslo?');
    assert.equal(turn[1].tool_calls.length, 1);
    assert.equal(turn[1].tool_calls[0].id, 'call_1');
    assert.deepEqual(JSON.parse(turn[1].tool_calls[0].function.arguments), { city: 'Oslo' });
    assert.equal(turn[2].tool_call_id, 'call_1');
    assert.equal(turn[2].content, 'rain, 8 °C');
  }
});

describe('errors', () => {
  it('of the upstream keep their class: 429', async () => {
    upstream.queue({ status: 429, headers: { 'retry-after': '7' }, error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } });
    await assert.rejects(ask('hello', newSession()), (err) => {
      assert.ok(err instanceof OpenAI.RateLimitError, `got ${err}`);
      assert.equal(err.status, 429);
      assert.equal(err.code, 'rate_limit_exceeded');
      assert.equal(err.headers.get('retry-after'), '7');
      return true;
    });
  });

  it('of the upstream keep their class: 429 for a stream', async () => {
    upstream.queue({ status: 429, headers: { 'retry-after': '7' }, error: { message: 'Slow down.', code: 'rate_limit_exceeded' } });
    await assert.rejects(ask('hello', newSession(), { stream: true }), OpenAI.RateLimitError);
  });

  it('name a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: server.baseURL, apiKey: 'wrong', maxRetries: 0 });
    await assert.rejects(stranger.chat.completions.create({ model: 'hermes', messages: [user('hello')] }), OpenAI.AuthenticationError);
    await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
    assert.equal(upstream.calls.length, 0);
  });

  it('name what is wrong with a request', async () => {
    await assert.rejects(client.chat.completions.create({ model: 'hermes', messages: [] }, newSession()), OpenAI.BadRequestError);
    await assert.rejects(ask('hello', { headers: { 'X-Hermes-Session-Id': 'x'.repeat(257) } }), (err) => {
      assert.ok(err instanceof OpenAI.BadRequestError, `got ${err}`);
      assert.equal(err.code, 'invalid_session_id');
      return true;
    });
    await assert.rejects(client.get('/nowhere'), OpenAI.NotFoundError);
  });
});

describe('memory', () => {
  it('continues a session with the newest message alone', async () => {
    const session = newSession();
    upstream.queue({ text: 'Noted.' });
    await ask('My cat is called Miso.', session);
    await ask('What is my cat called?', session);
    const turn = upstream.last.messages.filter((m) => m.role !== 'system');
    assert.deepEqual(turn.map((m) => m.content), ['My cat is called Miso.', 'Noted.', 'What is my cat called?']);
  });

  it('takes only the new part of a history that is sent again', async () => {
    const session = newSession();
    upstream.queue({ text: 'Noted.' });
    await ask('My cat is called Miso.', session);
    await client.chat.completions.create({
      model: 'hermes',
      messages: [user('My cat is called Miso.'), { role: 'assistant', content: 'Noted.' }, user('What is my cat called?')],
    }, session);
    const turn = upstream.last.messages.filter((m) => m.role !== 'system');
    assert.deepEqual(turn.map((m) => m.content), ['My cat is called Miso.', 'Noted.', 'What is my cat called?']);
  });

  it('passes the history of a client without a session through', async () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, user('One.'), { role: 'assistant', content: 'Two.' }, user('Three?')];
    await client.chat.completions.create({ model: 'hermes', messages });
    assert.deepEqual(upstream.last.messages, messages);
  });

  it('is shared by sessions with the same key, and by no others', async () => {
    const with_ = (id, key) => ({ headers: { 'X-Hermes-Session-Id': `${id}:${++sessions}`, ...(key && { 'X-Hermes-Session-Key': key }) } });
    const { response } = await ask('I am allergic to peanuts.', with_('phone', 'user:42')).withResponse();
    assert.equal(response.headers.get('x-hermes-session-key'), 'user:42');
    const question = 'What am I allergic to?';
    await ask(question, with_('laptop', 'user:42'));
    assert.match(JSON.stringify(upstream.last.messages), /allergic to peanuts/);
    for (const session of [with_('laptop', 'user:43'), with_('laptop')]) {
      await ask(question, session);
      assert.doesNotMatch(JSON.stringify(upstream.last.messages), /peanuts/);
    }
  });

  it('leaves a call off the record out', async () => {
    const session = newSession();
    await ask('My cat is called Miso.', { headers: { ...session.headers, 'X-Hermes-Store': 'none' } });
    await ask('What is my cat called?', session);
    assert.doesNotMatch(JSON.stringify(upstream.last.messages), /Miso/);
  });
});

describe('an Idempotency-Key', () => {
  const withKey = (session, key) => ({ headers: { ...session.headers, 'Idempotency-Key': key } });

  it('makes a repeated request give the stored answer', async () => {
    const options = withKey(newSession(), 'once-1');
    upstream.queue({ text: 'first' }, { text: 'second' });
    const first = await ask('hello', options).withResponse();
    const again = await ask('hello', options).withResponse();
    assert.equal(first.response.headers.get('idempotency-replayed'), null);
    assert.equal(again.response.headers.get('idempotency-replayed'), 'true');
    assert.equal(again.data.choices[0].message.content, 'first');
    assert.equal(again.data.hermes.session_id, first.data.hermes.session_id);
    assert.equal(upstream.calls.length, 1);
    assert.equal((await ask('something else', newSession())).choices[0].message.content, 'second');
  });

  it('gives the stored answer as a stream, too', async () => {
    const options = withKey(newSession(), 'once-2');
    upstream.queue({ chunks: ['fir', 'st'] });
    const [first, again] = [
      await collect(await ask('hello', options, { stream: true })),
      await collect(await ask('hello', options, { stream: true })),
    ];
    assert.equal(contentOf(first), 'first');
    assert.equal(contentOf(again), 'first');
    assert.equal(again.at(-1).choices[0].finish_reason, 'stop');
    assert.equal(upstream.calls.length, 1);
  });

  it('is refused for another request', async () => {
    const options = withKey(newSession(), 'once-3');
    await ask('hello', options);
    await assert.rejects(ask('something else', options), OpenAI.ConflictError);
  });

  it('lets one of several requests at once through', async () => {
    const options = withKey(newSession(), 'once-4');
    await Promise.all(Array.from({ length: 4 }, () => ask('hello', options)));
    assert.equal(upstream.calls.length, 1);
  });
});
