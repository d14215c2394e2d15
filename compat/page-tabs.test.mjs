// Many windows of the page at once: a browser has six connections to a server for all of
// them together, and streams would keep each for itself.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startHermes } from './support/hermes.mjs';
import { answered, say, startPages } from './support/page.mjs';
import { until } from './support/scene.mjs';
import { startUpstream } from './support/upstream.mjs';

let pages, upstream, server;

before(async () => {
  pages = await startPages();
  upstream = await startUpstream({ reply: () => ({ text: 'Noted.' }) });
  server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
});
after(async () => {
  await pages?.close();
  await server?.kill();
  await upstream?.close();
});

describe('seven windows that are all seen', () => {
  it('load, and the first and the last can talk', async () => {
    const all = [];
    for (let i = 0; i < 7; i++) {
      all.push(await pages.open(`${server.url}/#/sessions/new`));
      await all[i].getByText('Development key').waitFor();
    }
    for (const i of [0, 6]) {
      await say(all[i], `This is window ${i}.`);
      assert.equal(await answered(all[i], 1), 'Noted.');
    }
    // The first windows listen for changes, the last one begins to once they are gone.
    const title = (page) => page.locator('a.row', { hasText: 'This is window 6' });
    await title(all[0]).waitFor();
    await Promise.all(all.slice(0, 4).map((page) => page.close()));
    await server.api('/v1/chat/completions', { method: 'POST', body: { model: 'hermes', messages: [{ role: 'user', content: 'From elsewhere.' }] }, headers: { 'x-hermes-session-id': 'elsewhere' } });
    await all[6].locator('a.row', { hasText: 'From elsewhere' }).waitFor();
    await Promise.all(all.slice(4).map((page) => page.close()));
  });

  it('leave an answer its stream while others listen', async () => {
    const all = [];
    for (let i = 0; i < 5; i++) all.push(await pages.open(`${server.url}/#/sessions/new`));
    const words = Array.from({ length: 50 }, (_, i) => `word${i} `);
    upstream.queue({ chunks: words, hangs: true });
    await say(all[4], 'Tell me words.');
    await all[4].locator('.message.assistant.coming', { hasText: 'word49' }).waitFor();
    await all[4].getByRole('button', { name: 'Stop' }).click();
    await until(async () => (await all[4].locator('.coming').count()) === 0);
    await Promise.all(all.map((page) => page.close()));
  });
});

describe('the whole of it', () => {
  it('breaks no policy, and writes no error', () => {
    assert.deepEqual(pages.seen.reports, []);
    assert.deepEqual(pages.seen.errors, []);
  });
});
