// The Model Context Protocol in both directions: the official TypeScript client
// against our server, and a server from npm as a tool of the model's.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { newHome, startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

const ours = ['forget', 'recall', 'remember'];
const textOf = (result) => result.content.map((c) => c.text ?? '').join('\n');

async function connect(transport) {
  const client = new Client({ name: 'compat', version: '1' });
  await client.connect(transport);
  return client;
}

// carry out what every transport must be able to do.
async function remembers(client, scope) {
  const names = (await client.listTools()).tools.map((t) => t.name);
  for (const name of ours) assert.ok(names.includes(name), `${name} is missing in ${names}`);
  const kept = await client.callTool({ name: 'remember', arguments: { statement: 'The staging database is called Heron.', ...scope } });
  assert.ok(!kept.isError, textOf(kept));
  const [fact] = kept.structuredContent.facts;
  const recalled = await client.callTool({ name: 'recall', arguments: { question: 'What is the staging database called?', ...scope } });
  assert.match(textOf(recalled), /called Heron/);
  const gone = await client.callTool({ name: 'forget', arguments: { fact_id: fact.id, ...scope } });
  assert.ok(!gone.isError, textOf(gone));
  const nothing = await client.callTool({ name: 'recall', arguments: { question: 'What is the staging database called?', ...scope } });
  assert.doesNotMatch(textOf(nothing), /Heron/);
  const refused = await client.callTool({ name: 'forget', arguments: { fact_id: fact.id, ...scope } });
  assert.ok(refused.isError);
}

describe('our MCP server', () => {
  let server;
  before(async () => { server = await startHermes(); });
  after(() => server?.stop());

  const overHTTP = (headers = {}) => new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: 'Bearer hermes', ...headers } },
  });
  const overStdio = (home, ...args) => new StdioClientTransport({
    command: process.env.HERMES_BIN, args: ['mcp', ...args], env: { PATH: process.env.PATH, HOME: home, HERMES_HOME: home }, stderr: 'inherit',
  });

  it('works over HTTP, the scope in the headers', async () => {
    const client = await connect(overHTTP({ 'X-Hermes-Session-Key': 'http:headers' }));
    await remembers(client, {});
    await client.close();
  });

  it('works over HTTP, the scope in the arguments', async () => {
    const client = await connect(overHTTP());
    await remembers(client, { session_key: 'http:arguments' });
    await client.close();
  });

  it('wants a key over HTTP', async () => {
    await assert.rejects(connect(overHTTP({ authorization: 'Bearer wrong' })));
  });

  it('works over stdio, through the running server', async () => {
    const client = await connect(overStdio(server.home, '--session-key', 'stdio'));
    await remembers(client, {});
    await client.callTool({ name: 'remember', arguments: { statement: 'The bird is a heron.' } });
    await client.close();
    const seen = await server.api('/api/memory?session_key=stdio');
    assert.match(JSON.stringify(seen), /The bird is a heron/);
  });

  it('works over stdio without a server', async () => {
    const client = await connect(overStdio(newHome(), '--session-key', 'alone'));
    await remembers(client, {});
    await client.close();
  });
});

describe('a model with an MCP server from npm', () => {
  const script = fileURLToPath(new URL('node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url));
  let upstream, server, client, notes;

  before(async () => {
    const home = newHome();
    notes = join(home, 'notes.jsonl');
    writeFileSync(join(home, 'config.yaml'), `
tools:
  enabled: [memory]
mcp_servers:
  graph:
    command: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(script)}]
    env: { MEMORY_FILE_PATH: ${JSON.stringify(notes)} }
    tools: [create_entities, search_nodes]
  broken:
    command: /nonexistent/mcp-server
`, { mode: 0o600 });
    upstream = await startUpstream();
    server = await startHermes({ home, env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
    client = new OpenAI({ baseURL: server.baseURL, apiKey: 'hermes', maxRetries: 0 });
  });
  after(async () => {
    await upstream?.close();
    await server?.stop();
  });

  const headers = { 'X-Hermes-Session-Id': 'graph' };
  const create = { id: 'call_1', name: 'mcp_graph_create_entities', args: { entities: [{ name: 'Heron', entityType: 'database', observations: ['is for staging'] }] } };
  const search = { id: 'call_2', name: 'mcp_graph_search_nodes', args: { query: 'Heron' } };

  it('uses it, and the client gets one normal completion', async () => {
    upstream.queue({ toolCalls: [create] }, { text: 'I noted it.', usage: { input: 7, output: 3 } });
    const answer = await client.chat.completions.create({ model: 'hermes', messages: [{ role: 'user', content: 'Note the staging database.' }] }, { headers });
    assert.equal(answer.choices[0].message.content, 'I noted it.');
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.equal(answer.choices[0].message.tool_calls, undefined);
    assert.deepEqual(answer.hermes.tools.map(({ name, ok }) => ({ name, ok })), [{ name: create.name, ok: true }]);
    const offered = upstream.calls[0].body.tools.map((t) => t.function.name);
    assert.deepEqual(offered, ['memory', 'mcp_graph_create_entities', 'mcp_graph_search_nodes']);
    assert.ok(existsSync(notes) && readFileSync(notes, 'utf8').includes('Heron'));
  });

  it('uses it in a stream, beside a tool of the client', async () => {
    const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
    upstream.queue({ toolCalls: [search, { id: 'call_3', name: 'weather', args: { city: 'Oslo' } }] }, { chunks: ['It is a ', 'database.'] });
    const first = client.chat.completions.stream({ model: 'hermes', tools: [weather], messages: [{ role: 'user', content: 'What is Heron, and how is Oslo?' }] }, { headers });
    const { message, finish_reason: reason } = (await first.finalChatCompletion()).choices[0];
    assert.equal(reason, 'tool_calls');
    assert.deepEqual(message.tool_calls.map((c) => [c.id, c.function.name, c.function.arguments]), [['call_3', 'weather', '{"city":"Oslo"}']]);
    const second = client.chat.completions.stream({ model: 'hermes', tools: [weather], messages: [{ role: 'tool', tool_call_id: 'call_3', content: 'rain' }] }, { headers });
    assert.equal(await second.finalContent(), 'It is a database.');
    const results = upstream.last.messages.filter((m) => m.role === 'tool').slice(-2);
    assert.deepEqual(results.map((m) => m.tool_call_id), ['call_2', 'call_3']);
    assert.match(results[0].content, /is for staging/);
  });
});
