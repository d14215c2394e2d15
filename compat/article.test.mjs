// The article's code, one to one, against a server that nobody configured and
// that has no model.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import OpenAI from 'openai';
import { newHome, startHermes } from './support/hermes.mjs';
import { filler } from './support/filler.mjs';

const client = new OpenAI({ baseURL: 'http://localhost:11434/v1', apiKey: 'hermes' });

async function chat(message, sessionId) {
  const response = await client.chat.completions.create(
    { model: 'hermes', messages: [{ role: 'user', content: message }] },
    { headers: { 'X-Hermes-Session-Id': sessionId } },
  );
  return response.choices[0].message.content;
}

async function* stream(message, sessionId) {
  const chunks = await client.chat.completions.create(
    { model: 'hermes', messages: [{ role: 'user', content: message }], stream: true },
    { headers: { 'X-Hermes-Session-Id': sessionId } },
  );
  for await (const chunk of chunks) {
    const delta = chunk.choices[0].delta.content;
    if (delta) yield delta;
  }
}

// needPort fails if the article's port is taken: hermes would rightly refuse to
// start, or stand aside for an Ollama.
async function needPort(port) {
  for (const host of ['127.0.0.1', '::1']) {
    const probe = createServer().listen(port, host);
    const [err] = await once(probe, 'listening').catch((failure) => [failure]);
    if (err?.code === 'EADDRINUSE') {
      throw new Error(`This test needs port ${port} of localhost, as in the article, and something holds it. Stop that for the time of the test.`);
    }
    if (!err) {
      probe.close();
      await once(probe, 'close');
    }
  }
}

const unknown = '[recall] I have not been told that.';

describe('the article, without a model', () => {
  const home = newHome();
  let server;
  before(async () => {
    await needPort(11434);
    server = await startHermes({ home, bare: true });
    const { model } = await client.chat.completions.create(
      { model: 'hermes', messages: [{ role: 'user', content: 'Hello!' }] }, { headers: { 'X-Hermes-Store': 'none' } });
    assert.equal(model, 'hermes-recall', 'a model was found on this machine; this test is about having none');
  });
  after(() => server?.stop());

  it('knows on turn 200 what was said on turn 1', async () => {
    await chat("My name is Alex. I'm building a distributed cache in Rust.", 'user:alex');
    const talk = filler(200);
    for (let turn = 2; turn < 200; turn++) {
      assert.ok(await chat(talk.turn(), 'user:alex'), `turn ${turn} has no answer`);
    }
    const answer = await chat('What tech stack are we using again?', 'user:alex');
    assert.match(answer, /distributed cache in Rust/);
  });

  it('keeps two repositories apart', async () => {
    await chat('Commit: removed Redis cache, caused 3 outages', 'repo:acme/backend');
    await chat('Commit: added Redis cache layer for performance', 'repo:widgets/frontend');
    const backend = await chat('What cache decisions were made?', 'repo:acme/backend');
    assert.match(backend, /removed Redis cache/i);
    assert.match(backend, /3 outages/);
    assert.doesNotMatch(backend, /performance|widgets/i);
    const frontend = await chat('What cache decisions were made?', 'repo:widgets/frontend');
    assert.match(frontend, /added Redis cache layer/i);
    assert.doesNotMatch(frontend, /outages|acme/i);
  });

  it('streams the same answer piece by piece', async () => {
    let answer = '';
    for await (const delta of stream('What tech stack are we using again?', 'user:alex')) answer += delta;
    assert.match(answer, /distributed cache in Rust/);
  });

  it('still knows after a kill and a restart', async () => {
    await server.kill();
    server = await startHermes({ home, bare: true });
    assert.match(await chat('What tech stack are we using again?', 'user:alex'), /distributed cache in Rust/);
    assert.match(await chat('What cache decisions were made?', 'repo:acme/backend'), /removed Redis cache.*3 outages/is);
    assert.match(await chat('What is my name?', 'user:alex'), /Alex/);
  });

  it('says so when it has not been told', async () => {
    assert.equal(await chat("When is my sister's birthday?", 'user:alex'), unknown);
    assert.equal(await chat('Which database do we use?', 'repo:acme/backend'), unknown);
    assert.equal(await chat('What tech stack are we using again?', 'user:somebody-else'), unknown);
  });
});
