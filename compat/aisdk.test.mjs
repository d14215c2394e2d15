// The Vercel AI SDK against a server with a model behind it.
import { after, beforeEach, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, isStepCount, streamText, tool } from 'ai';
import { z } from 'zod';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

let upstream, server;

before(async () => {
  upstream = await startUpstream();
  server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
});
after(async () => {
  await upstream?.close();
  await server?.stop();
});
beforeEach(() => { upstream.calls.length = 0; });

// The providers that people point at a server like this one.
const providers = {
  '@ai-sdk/openai-compatible': (apiKey) => createOpenAICompatible({ name: 'hermes', baseURL: server.baseURL, apiKey, includeUsage: true })('hermes'),
  '@ai-sdk/openai': (apiKey) => createOpenAI({ baseURL: server.baseURL, apiKey }).chat('hermes'),
  '@ai-sdk/openai responses': (apiKey) => createOpenAI({ baseURL: server.baseURL, apiKey }).responses('hermes'),
};

const weather = (asked) => tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => { asked.push(city); return 'rain, 8 °C'; },
});
const weatherCall = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };

const conversation = () => upstream.last.messages.filter((m) => m.role !== 'system');

for (const [name, provider] of Object.entries(providers)) {
  describe(name, () => {
    const session = (id) => ({ 'X-Hermes-Session-Id': `${name}:${id}` });
    const call = (id, prompt, more = {}) => ({ model: provider('hermes'), headers: session(id), maxRetries: 0, prompt, ...more });

    it('generates text', async () => {
      upstream.queue({ text: 'Hello, Alex.', usage: { input: 11, output: 4 } });
      const result = await generateText(call('text', 'I am Alex.'));
      assert.equal(result.text, 'Hello, Alex.');
      assert.equal(result.finishReason, 'stop');
      assert.equal(result.usage.inputTokens, 11);
      assert.equal(result.usage.outputTokens, 4);
      assert.equal(result.response.headers['x-hermes-session-id'], `${name}:text`);
      assert.equal(result.response.modelId, 'scripted-model');
    });

    it('streams text', async () => {
      upstream.queue({ chunks: ['One', ', two', ', three.'], usage: { input: 9, output: 5 } });
      const result = streamText(call('stream', 'Count.'));
      const pieces = [];
      for await (const piece of result.textStream) pieces.push(piece);
      if (name.endsWith('responses')) assert.equal(pieces.join(''), 'One, two, three.'); // pieces that come together are stored as one
      else assert.deepEqual(pieces.filter(Boolean), ['One', ', two', ', three.']);
      assert.equal(await result.finishReason, 'stop');
      assert.equal((await result.usage).inputTokens, 9);
      assert.equal((await result.usage).outputTokens, 5);
      assert.equal((await result.response).headers['x-hermes-session-id'], `${name}:stream`);
    });

    it('calls tools', async () => {
      const asked = [];
      upstream.queue({ toolCalls: [weatherCall] }, { text: 'It rains in Oslo.' });
      const result = await generateText(call('tools', 'How is the weather in Oslo?', { tools: { weather: weather(asked) }, stopWhen: isStepCount(3) }));
      assert.equal(result.text, 'It rains in Oslo.');
      assert.deepEqual(asked, ['Oslo']);
      assert.equal(upstream.calls.length, 2);
      assert.deepEqual(conversation().map((m) => m.role), ['user', 'assistant', 'tool']);
      assert.equal(conversation()[2].tool_call_id, conversation()[1].tool_calls[0].id);
    });

    it('calls tools in a stream', async () => {
      const asked = [];
      upstream.queue({ toolCalls: [weatherCall] }, { chunks: ['It ', 'rains.'] });
      const result = streamText(call('streamed-tools', 'How is the weather in Oslo?', { tools: { weather: weather(asked) }, stopWhen: isStepCount(3) }));
      assert.equal(await result.text, 'It rains.');
      assert.deepEqual(asked, ['Oslo']);
      assert.deepEqual((await result.steps).map((s) => s.finishReason), ['tool-calls', 'stop']);
      assert.deepEqual(conversation().map((m) => m.role), ['user', 'assistant', 'tool']);
    });

    it('continues a session with the newest prompt alone', async () => {
      await generateText(call('cat', 'My cat is called Miso.'));
      const result = streamText(call('cat', 'What is my cat called?'));
      await result.text;
      const texts = conversation().map((m) => (typeof m.content === 'string' ? m.content : m.content.map((p) => p.text).join('')));
      assert.deepEqual(texts, ['My cat is called Miso.', 'ok', 'What is my cat called?']);
    });

    it('raises what the upstream refuses', async () => {
      upstream.queue({ status: 429, headers: { 'retry-after': '7' }, error: { message: 'Slow down.', code: 'rate_limit_exceeded' } });
      await assert.rejects(generateText(call('errors', 'hello')), (err) => {
        assert.ok(APICallError.isInstance(err), `got ${err}`);
        assert.equal(err.statusCode, 429);
        assert.equal(err.isRetryable, true);
        assert.equal(err.responseHeaders['retry-after'], '7');
        assert.equal(err.message, 'Slow down.');
        return true;
      });
    });

    it('raises an error in the middle of a stream', async () => {
      upstream.queue({ chunks: ['Half an ans'], breaks: { message: 'The model fell over.', type: 'server_error', code: 'overloaded' } });
      const errors = [];
      const result = streamText(call('broken', 'hello', { onError: ({ error }) => { errors.push(error); } }));
      let text = '';
      const kinds = [];
      for await (const part of result.fullStream) {
        kinds.push(part.type);
        if (part.type === 'text-delta') text += part.text;
      }
      assert.equal(text, 'Half an ans');
      assert.ok(kinds.includes('error'), `got ${kinds}`);
      assert.equal(errors.length, 1);
    });

    it('raises a wrong key', async () => {
      await assert.rejects(generateText({ model: provider('wrong'), maxRetries: 0, prompt: 'hello' }), (err) => {
        assert.equal(err.statusCode, 401);
        return true;
      });
    });
  });
}
