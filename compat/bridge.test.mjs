// The bridge of docs/examples between Hermes and a platform that sends messages more than once.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startHermes } from './support/hermes.mjs';

const script = new URL('../docs/examples/bridge.mjs', import.meta.url).pathname;

describe('the bridge', () => {
  let hermes, platform, bridge, address;
  const sent = []; // what people of the platform see
  const waiting = new Map(); // by the id of a message

  /** say sends a message as often as told, and returns its answer. */
  async function say(id, text, times = 1) {
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    for (let n = 0; n < times; n++) {
      const body = JSON.stringify({ id, chat: 'room-7', type: 'dm', user: 'u42', name: 'Alex', text });
      assert.equal((await fetch(address, { method: 'POST', body })).status, 202);
    }
    return answer;
  }

  before(async () => {
    hermes = await startHermes();
    platform = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const m = JSON.parse(body);
      sent.push(m);
      response.end();
      waiting.get(m.answer_to)?.(m.text);
    }).listen(0);
    await once(platform, 'listening');
    const port = 20_000 + (process.pid % 20_000);
    address = `http://127.0.0.1:${port}/`;
    bridge = spawn(process.execPath, [script, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HERMES_URL: hermes.url, PLATFORM_URL: `http://127.0.0.1:${platform.address().port}/` },
    });
    await once(bridge.stdout, 'data');
  });
  after(async () => {
    bridge?.kill();
    platform?.close();
    await hermes?.stop();
  });

  it('answers from memory, across a new session and a compression', async () => {
    assert.match(await say('m1', 'My cat is called Tom.'), /Tom/);
    assert.match(await say('m2', '/new'), /session/i);
    assert.match(await say('m3', 'What is my cat called?'), /Tom/);
    await say('m4', '/compress');
    assert.match(await say('m5', 'What is my cat called?'), /Tom/);
  });

  it('takes one turn for a message that comes three times', async () => {
    await say('m6', 'My dog is called Rex.', 3);
    const get = (path) => fetch(hermes.url + path, { headers: { Authorization: 'Bearer hermes' } }).then((r) => r.json());
    const [session] = (await get('/api/sessions?source=mychat&limit=1')).data;
    const messages = (await get(`/api/sessions/${session.id}/messages`)).data;
    assert.equal(messages.filter((m) => m.content === 'My dog is called Rex.').length, 1, JSON.stringify(messages));
    assert.equal(new Set(sent.filter((m) => m.answer_to === 'm6').map((m) => m.text)).size, 1);
  });

  it('refuses what is no message', async () => {
    assert.equal((await fetch(address, { method: 'POST', body: 'hello' })).status, 400);
  });
});
