// Frameworks that build on the OpenAI clients, with a key that has a memory: they can set a
// URL and a key, and send their history each time.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { ChatOpenAI } from '@langchain/openai';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { OpenAI as LlamaIndexOpenAI } from '@llamaindex/openai';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

setTracingDisabled(true);
const fact = 'My sister is called Wilhelmina.';
const question = 'What is my sister called?';

describe('frameworks with a URL and a key', () => {
  const at = {};
  before(async () => {
    at.upstream = await startUpstream({ reply: () => ({ text: 'Understood.' }) });
    at.server = await startHermes({ env: { HERMES_UPSTREAM_URL: at.upstream.url, HERMES_MODEL: 'scripted-model' } });
    at.admin = (await at.server.api('/api/keys', { method: 'POST', body: { name: 'admin', owner: 'local', scopes: ['admin'] } })).key;
  });
  after(async () => {
    await at.server?.stop();
    await at.upstream?.close();
  });

  // newKey is a key with a memory, of an owner of its own.
  const newKey = async (name) => (await at.server.api('/api/keys', { method: 'POST', key: at.admin, body: { name, session_key: 'me' } })).key;
  // stored are the messages of each session of a key.
  const stored = async (key) => {
    const { data } = await at.server.api('/api/sessions', { key });
    return Promise.all(data.map(async (s) => (await at.server.api(`/api/sessions/${encodeURIComponent(s.id)}/messages?limit=200`, { key })).data));
  };
  const remembered = () => assert.ok(JSON.stringify(at.upstream.last.messages).includes('Wilhelmina'), 'the second chat knows the fact of the first');

  const frameworks = {
    LangChain: (key) => {
      const model = new ChatOpenAI({ model: 'hermes', apiKey: key, configuration: { baseURL: at.server.baseURL }, maxRetries: 0 });
      return async (history) => (await model.invoke(history.map(({ role, content }) => (role === 'user' ? new HumanMessage(content) : new AIMessage(content))))).content;
    },
    'LangChain, streamed': (key) => {
      const model = new ChatOpenAI({ model: 'hermes', apiKey: key, configuration: { baseURL: at.server.baseURL }, maxRetries: 0 });
      return async (history) => {
        let text = '';
        const stream = await model.stream(history.map(({ role, content }) => (role === 'user' ? new HumanMessage(content) : new AIMessage(content))));
        for await (const piece of stream) text += piece.content;
        return text;
      };
    },
    LlamaIndex: (key) => {
      const model = new LlamaIndexOpenAI({ model: 'hermes', apiKey: key, baseURL: at.server.baseURL, maxRetries: 0 });
      return async (history) => (await model.chat({ messages: history })).message.content;
    },
    'OpenAI Agents': (key) => {
      const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: key, baseURL: at.server.baseURL, useResponses: true }) });
      const agent = new Agent({ name: 'Helper', instructions: 'Be brief.', model: 'hermes' });
      let items = [];
      return async (history) => {
        if (history.length === 1) items = [];
        const result = await runner.run(agent, [...items, { role: 'user', content: history.at(-1).content }]);
        items = result.history;
        return result.finalOutput;
      };
    },
  };
  for (const [name, client] of Object.entries(frameworks)) {
    it(`${name}: one session for a chat, and a memory for the next one`, async () => {
      const key = await newKey(name);
      const ask = client(key);
      const history = [];
      for (const content of [fact, 'How are you?', 'And now?']) {
        history.push({ role: 'user', content });
        const answer = await ask(history);
        assert.equal(answer, 'Understood.');
        history.push({ role: 'assistant', content: answer });
      }
      assert.deepEqual((await stored(key)).map((messages) => messages.length), [6]);
      assert.equal(await ask([{ role: 'user', content: question }]), 'Understood.');
      remembered();
      assert.equal((await stored(key)).length, 2);
    });
  }

  it('OpenAI Agents: a tool over two calls of the model', async () => {
    const key = await newKey('tools');
    const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: key, baseURL: at.server.baseURL, useResponses: true }) });
    const weather = tool({ name: 'weather', description: 'The weather of a town', parameters: z.object({ town: z.string() }), execute: async ({ town }) => `Rain in ${town}.` });
    const agent = new Agent({ name: 'Helper', instructions: 'Be brief.', model: 'hermes', tools: [weather] });
    at.upstream.queue({ toolCalls: [{ id: 'call_1', name: 'weather', args: { town: 'Oslo' } }] }, { text: 'It rains.' });
    const result = await runner.run(agent, 'What is the weather in Oslo?');
    assert.equal(result.finalOutput, 'It rains.');
    assert.equal(at.upstream.last.messages.at(-1).content, 'Rain in Oslo.');
    assert.deepEqual((await stored(key)).map((messages) => messages.map((m) => m.role)), [['user', 'assistant', 'tool', 'assistant']]);
  });
});
