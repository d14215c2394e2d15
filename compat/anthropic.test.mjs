// Anthropic's SDK for Node against a server with a model behind it that speaks OpenAI's
// format, and with one that speaks Anthropic's: the client sees no difference.
import { after, before, beforeEach, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

let sessions = 0;
const newSession = () => ({ headers: { 'X-Hermes-Session-Id': `test:${++sessions}` } });
const user = (content) => ({ role: 'user', content });
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const weather = {
  name: 'weather', description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const upstreams = {
  'an OpenAI-compatible upstream': (url) => ({ HERMES_UPSTREAM_URL: url, HERMES_MODEL: 'scripted-model' }),
  'an Anthropic upstream': (url) => ({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: url, HERMES_MODEL: 'scripted-model' }),
};

for (const [name, env] of Object.entries(upstreams)) {
  describe(`messages, ${name}`, () => {
    let upstream, server, client;
    before(async () => {
      upstream = await startUpstream();
      server = await startHermes({ env: env(upstream.url) });
      client = new Anthropic({ baseURL: server.url, apiKey: 'hermes', maxRetries: 0 });
    });
    after(async () => {
      await upstream?.close();
      await server?.stop();
    });
    beforeEach(() => { upstream.calls.length = 0; });

    const create = (messages, options, more = {}) => client.messages.create({ model: 'hermes', max_tokens: 100, messages, ...more }, options);
    const sent = () => JSON.stringify(upstream.last);

    it('answers', async () => {
      upstream.queue({ text: 'Hello, Alex.', usage: { input: 11, output: 4 } });
      const { data, response } = await create([user('I am Alex.')], { headers: { 'X-Hermes-Session-Id': 'repo:acme' } }, { system: 'Be brief.' }).withResponse();
      assert.equal(data.type, 'message');
      assert.deepEqual(data.content, [{ type: 'text', text: 'Hello, Alex.' }]);
      assert.equal(data.stop_reason, 'end_turn');
      assert.equal(data.usage.input_tokens, 11);
      assert.equal(data.usage.output_tokens, 4);
      assert.equal(data.hermes.responder, 'upstream');
      assert.equal(response.headers.get('x-hermes-session-id'), 'repo:acme');
      assert.match(data._request_id, /^req_/);
      assert.match(sent(), /Be brief\./);
    });

    it('continues a session with the newest message only', async () => {
      const options = newSession();
      await create([user('I am Alex.')], options);
      upstream.queue({ text: 'Alex.' });
      await create([user('Who am I?')], options);
      assert.match(sent(), /I am Alex\./);
    });

    it('streams', async () => {
      upstream.queue({ chunks: ['One, ', 'two, ', 'three.'], reasoning: 'Count.', usage: { input: 7, output: 5 } });
      const stream = client.messages.stream(
        { model: 'hermes', max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 }, messages: [user('Count.')] }, newSession(),
      );
      const pieces = [];
      const thoughts = [];
      stream.on('text', (text) => pieces.push(text)).on('thinking', (text) => thoughts.push(text));
      const whole = await stream.finalMessage();
      assert.deepEqual(pieces, ['One, ', 'two, ', 'three.']);
      assert.deepEqual(thoughts, ['Count.']);
      assert.deepEqual(whole.content.map((block) => block.type), ['thinking', 'text']);
      assert.equal(whole.stop_reason, 'end_turn');
      assert.equal(whole.usage.output_tokens, 5);
      assert.equal(whole.usage.input_tokens, 7);
    });

    for (const streamed of [false, true]) {
      it(`calls tools over three rounds, ${streamed ? 'streamed' : 'whole'}`, async () => {
        const options = newSession();
        const history = [user('Where is it warmer?')];
        const cities = ['Oslo', 'Rome'];
        upstream.queue(
          { text: 'First Oslo.', toolCalls: [{ id: 'call_1', name: 'weather', args: { city: 'Oslo' } }] },
          { toolCalls: [{ id: 'call_2', name: 'weather', args: { city: 'Rome' } }] },
          { text: 'In Rome.' },
        );
        let answer;
        for (let round = 0; round < 3; round++) {
          const body = { model: 'hermes', max_tokens: 100, messages: history, tools: [weather] };
          answer = streamed ? await client.messages.stream(body, options).finalMessage() : await client.messages.create(body, options);
          history.push({ role: 'assistant', content: answer.content });
          const calls = answer.content.filter((block) => block.type === 'tool_use');
          if (round === 2) break;
          assert.equal(answer.stop_reason, 'tool_use');
          assert.deepEqual(calls.map((call) => call.input), [{ city: cities[round] }]);
          history.push(user(calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: `${round * 20 + 5} degrees` }] }))));
        }
        assert.deepEqual(answer.content, [{ type: 'text', text: 'In Rome.' }]);
        assert.equal(upstream.calls.length, 3);
        for (const part of ['Where is it warmer?', 'First Oslo.', '5 degrees', '25 degrees']) assert.ok(sent().includes(part), part);
        const told = await server.session(options.headers['X-Hermes-Session-Id']);
        assert.equal(told.message_count, 6, 'no message is stored twice');
      });
    }

    it('passes images on, also those of tool results', async () => {
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
      await create([
        user([{ type: 'text', text: 'Compare.' }, image]),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'A map' }, image] }]),
      ], newSession(), { tools: [weather] });
      assert.equal(sent().split(pixel).length - 1, 2, sent());
    });

    it('leaves hosted tools out and names them', async () => {
      const { response } = await create([user('hello')], newSession(), { tools: [{ type: 'web_search_20250305', name: 'web_search' }, weather] }).withResponse();
      assert.equal(response.headers.get('x-hermes-tools-omitted'), 'web_search_20250305');
      assert.doesNotMatch(sent(), /web_search/);
    });

    it('counts tokens without a turn', async () => {
      const few = await client.messages.countTokens({ model: 'hermes', messages: [user('hello')] });
      const more = await client.messages.countTokens({ model: 'hermes', messages: [user('hello '.repeat(100))], tools: [weather] });
      assert.ok(few.input_tokens > 0 && more.input_tokens > few.input_tokens + 100, `got ${few.input_tokens} and ${more.input_tokens}`);
      assert.equal(upstream.calls.length, 0);
    });

    it('raises the errors of the API', async () => {
      const stranger = new Anthropic({ baseURL: server.url, apiKey: 'wrong', maxRetries: 0 });
      await assert.rejects(stranger.messages.create({ model: 'hermes', max_tokens: 1, messages: [user('hi')] }), (err) => {
        assert.ok(err instanceof Anthropic.AuthenticationError);
        assert.equal(err.error.error.type, 'authentication_error');
        assert.match(err.requestID, /^req_/);
        return true;
      });
      await assert.rejects(create([], newSession()), Anthropic.BadRequestError);
      upstream.queue({ status: 429, error: { type: 'rate_limit_error', message: 'slow down' } });
      await assert.rejects(create([user('hi')], newSession()), (err) => {
        assert.ok(err instanceof Anthropic.RateLimitError);
        assert.equal(err.error.error.type, 'rate_limit_error');
        return true;
      });
      upstream.queue({ text: 'half', breaks: { type: 'overloaded_error', message: 'Overloaded' } });
      await assert.rejects(client.messages.stream({ model: 'hermes', max_tokens: 9, messages: [user('hi')] }, newSession()).finalMessage(), /Overloaded/);
    });

    it('lists models', async () => {
      const models = [];
      for await (const model of client.models.list()) models.push(model);
      assert.ok(models.some((model) => model.id === 'hermes') && models.every((model) => model.type === 'model' && model.display_name), JSON.stringify(models));
      assert.equal((await client.models.retrieve('hermes')).id, 'hermes');
    });

    it('remembers for clients with a URL and a key only', async () => {
      const phone = new Anthropic({ baseURL: `${server.url}/k/me`, apiKey: 'hermes', maxRetries: 0 });
      const ask = (text) => phone.messages.create({ model: 'claude-opus-4-8', max_tokens: 50, messages: [user(text)] });
      await ask('My cat is called Mo.');
      await ask('What is my cat called?');
      assert.match(sent(), /Memory: .*Mo/s);
    });
  });
}

// What Claude Code 2.1 sends: its program's own requests, a conversation with tools and a
// sub-agent, and the same conversation after it was compacted.
describe('Claude Code, by the shapes of its requests', () => {
  const id = '728b33f1-00db-4b16-a3fd-6d9ce4a5536c';
  const text = (words, more = {}) => ({ type: 'text', text: words, ...more });
  const cached = { cache_control: { type: 'ephemeral' } };
  const reminder = (words) => text(`<system-reminder>\n${words}\n</system-reminder>\n`);
  const bash = { name: 'Bash', description: 'Runs a command', input_schema: { type: 'object', properties: { command: { type: 'string' } } } };
  const common = {
    model: 'claude-opus-4-8', max_tokens: 64000, stream: true,
    metadata: { user_id: JSON.stringify({ device_id: 'd0', account_uuid: '', session_id: id }) },
  };
  const system = [text('x-anthropic-billing-header: cc_version=2.1;'), text('You are an agent.', cached), text('Help with code.', cached)];
  const turn = (messages) => ({
    ...common, system, tools: [bash], messages, thinking: { type: 'adaptive' }, output_config: { effort: 'high' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  });
  const title = (words) => ({
    ...common, system: [text('Write a title.')], messages: [user([text(`<session>\n${words}\n</session>`)])], thinking: { type: 'disabled' },
    output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'], additionalProperties: false } } },
  });

  it('is one session, and its own requests are not remembered', async () => {
    const upstream = await startUpstream({ reply: (body) => (body.tools ? { text: 'Done.' } : { text: '{"title":"T"}' }) });
    const server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
    const ask = async (body, headers = {}) => {
      const response = await fetch(`${server.url}/k/me/v1/messages?beta=true`, {
        method: 'POST', body: JSON.stringify(body),
        headers: { 'x-api-key': 'hermes', 'anthropic-version': '2023-06-01', 'content-type': 'application/json', 'x-claude-code-session-id': id, ...headers },
      });
      const events = await response.text();
      assert.equal(response.status, 200, events);
      assert.match(events, /event: message_stop\n/);
      return response;
    };
    const first = [reminder('The date is today.'), text('My lead is called Petra. Run it.')];
    const calls = { role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: '' }, { type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'ls' } }] };
    const result = user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'a.txt', is_error: false }]);
    const agents = { role: 'system', content: 'There are agents.' };
    const done = { role: 'assistant', content: [text('Done.')] };
    try {
      await ask(title('My lead is called Petra. Run it.'));
      upstream.queue({ toolCalls: [{ id: 'call_1', name: 'Bash', args: { command: 'ls' } }] });
      const answer = await ask(turn([user([first[0], text(first[1].text, cached)]), agents]));
      assert.equal(answer.headers.get('x-hermes-session-id'), id);
      await ask(turn([user([text('My boat is called Zora.')])]), { 'x-claude-code-agent-id': 'a1' });
      await ask(turn([user(first), agents, calls, result]));
      const history = [user(first), agents, calls, result, done, user('Thanks.')];
      await ask(turn(history));
      await ask(turn([...history, done, user([reminder('An agent is ready: Zora.')])]));
      assert.match(upstream.last.messages.at(-1).content, /ready: Zora/);
      await ask(turn([...history, done, user([text('Text only.\n\nYour task is to create a detailed summary of the conversation so far.', cached)])]));
      await ask(turn([user([first[0], text('The conversation goes on. Summary: the person ran it.')]), done, user([text('And now?', cached)])]));
      assert.equal(upstream.calls.length, 8);
      assert.ok(upstream.calls.every(({ body }) => body.model === 'scripted-model' && body.max_completion_tokens === undefined && !('thinking' in body)));
      const told = await server.session(id);
      assert.equal(told.message_count, 8, 'the turns, each once');
      const facts = JSON.stringify(await server.api('/api/memory?session_key=me'));
      assert.match(facts, /Petra/);
      assert.doesNotMatch(facts, /Zora|detailed summary|The date is today/);
      assert.equal((await server.api('/api/sessions')).data.length, 1);
    } finally {
      await server.stop();
      await upstream.close();
    }
  });
});

describe('messages without an upstream', () => {
  it('answers from memory', async () => {
    const server = await startHermes();
    try {
      const client = new Anthropic({ baseURL: server.url, apiKey: 'hermes', maxRetries: 0 });
      const options = newSession();
      const say = (text) => client.messages.stream({ model: 'hermes', max_tokens: 100, messages: [user(text)] }, options).finalText();
      await say('We chose PostgreSQL because of JSON columns.');
      assert.match(await say('Why did we choose PostgreSQL?'), /JSON columns/);
    } finally {
      await server.stop();
    }
  });
});
