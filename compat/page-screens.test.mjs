// What every screen of the page shows when there is nothing, when the server fails and when it is
// slow, and what hostile texts do in it.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startHermes } from './support/hermes.mjs';
import { go, settled } from './support/page.mjs';
import { reply, startScene, until } from './support/scene.mjs';
import { hostile, reading } from './support/screens.mjs';

let stage, pages, server, scene;

// speak is what the model says: what is hostile, a search for it, which the result repeats, or
// what the scene has.
function speak(body) {
  const last = JSON.stringify(body.messages.at(-1));
  if (/Say something hostile/.test(last)) return { text: hostile.join('\n\n') };
  if (/Look for what was hacked/.test(last)) return { toolCalls: [{ id: 'call_search', name: 'session_search', args: { query: hostile[1] } }] };
  return reply(body);
}

before(async () => {
  stage = await startScene({ answers: speak, waits: true });
  ({ pages, server, scene } = stage);
});
after(() => stage?.close());

// leave shows a place that asks for nothing.
async function leave(page) {
  await page.evaluate(() => { location.hash = '#/more'; });
  await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'More');
}

describe('when the server fails', () => {
  const error = (status, code, message) => ({ status, contentType: 'application/json', headers: { 'x-request-id': 'req_1', 'retry-after': '7' }, body: JSON.stringify({ error: { message, type: 'x', param: null, code } }) });
  const cases = {
    500: [error(500, 'internal_error', 'Something went wrong.'), [/Something went wrong\./, /internal_error, request req_1/, /Try again/]],
    403: [error(403, 'insufficient_scope', 'This key lacks the scope "memory".'), [/This key lacks the scope/, /hermes keys create/]],
    429: [error(429, 'rate_limit_exceeded', 'Too many requests.'), [/Too many requests\./, /Trying again in \d+ second/]],
  };
  for (const [status, [answer, words]] of Object.entries(cases)) {
    it(`every screen says so: ${status}`, async () => {
      const page = await pages.open(`${server.url}/#/more`);
      for (const [address, path] of Object.entries(reading)) {
        await page.route(path, (route) => route.fulfill(answer));
        await leave(page);
        await go(page, address);
        const text = await page.locator('.trouble').first().innerText();
        for (const word of words) assert.match(text, word, address);
        await page.unroute(path);
      }
      await page.close();
    });
  }

  it('a slow server is waited for, in words', async () => {
    const page = await pages.open(`${server.url}/#/more`);
    for (const [address, path] of Object.entries(reading)) {
      if (address === '#/sessions/cache') continue;
      let release;
      const wait = new Promise((resolve) => { release = resolve; });
      await page.route(path, async (route) => { await wait; await route.continue(); });
      await page.evaluate((to) => { location.hash = to; }, address);
      await page.getByText('Loading…').first().waitFor();
      release();
      await page.waitForFunction(() => !document.querySelector('.loading'));
      await page.unroute(path);
      await leave(page);
    }
    await page.close();
  });

  it('offline is said on every screen, and what failed is read by itself afterwards', async () => {
    const page = await pages.open(`${server.url}/#/more`);
    const away = page.getByText('The server cannot be reached, trying again');
    for (const [address, path] of Object.entries(reading)) {
      await leave(page);
      await page.context().setOffline(true);
      await page.evaluate((to) => { location.hash = to; }, address);
      await away.waitFor();
      const again = page.waitForResponse((r) => path.test(r.url()) && r.ok());
      await page.context().setOffline(false);
      await again;
      await away.waitFor({ state: 'detached' });
      await page.waitForFunction(() => !document.querySelector('.trouble') && !document.querySelector('.loading'));
    }
    await page.close();
  });
});

describe('a new home', () => {
  it('says on every screen what would be there', async () => {
    const bare = await startHermes();
    const page = await pages.open(`${bare.url}/`);
    for (const address of ['#/sessions', '#/memory', '#/jobs', '#/jobs/failed', '#/runs', '#/search', '#/cost', '#/keys']) {
      await go(page, address);
      await page.locator('.empty').first().waitFor();
      assert.match(await page.locator('.empty').first().innerText(), /\.$/, address);
      assert.equal(await page.locator('.trouble').count(), 0, address);
    }
    await page.close();
    await bare.stop();
  });
});

describe('hostile texts', () => {
  // With a key there, the development key is not accepted any more.
  const signedIn = async (address) => {
    const page = await pages.open(`${server.url}/${address}`);
    await page.getByLabel('Key', { exact: true }).fill(scene.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as').waitFor();
    return page;
  };

  it('are shown as text everywhere', async () => {
    for (const [i, text] of hostile.entries()) {
      await server.api(`/api/sessions/${encodeURIComponent(`hostile ${i}`)}/messages`, { method: 'POST', body: { messages: [{ role: 'user', content: text }, { role: 'assistant', content: text }, { role: 'user', content: `I like ${text}` }] } });
    }
    const title = `${hostile[1]} title`;
    await server.api(`/api/sessions/${encodeURIComponent('hostile 0')}`, { method: 'PATCH', body: { title } });
    await server.api('/api/sessions', { method: 'POST', body: { id: hostile[4] } });
    await server.api('/api/jobs', { method: 'POST', body: { name: 'hostile', schedule: 'every monday 9am', prompt: hostile[2], session_id: 'hostile 0' } });
    const made = await server.api('/api/keys', { method: 'POST', body: { name: 'img src=x onerror=window.hacked=1', owner: 'local', scopes: ['chat', 'sessions:read', 'sessions:write', 'memory', 'jobs', 'admin'] } });
    scene.key = made.key;
    const page = await signedIn(`#/sessions/${encodeURIComponent('hostile 0')}`);
    await page.locator('.message').first().waitFor();
    const places = ['#/sessions', ...hostile.map((_, i) => `#/sessions/${encodeURIComponent(`hostile ${i}`)}`), `#/sessions/${encodeURIComponent(hostile[4])}`, '#/jobs', '#/search?q=hacked', '#/memory', `#/memory/session/${encodeURIComponent('hostile 1')}/facts`, '#/keys', '#/runs'];
    for (const address of places) {
      await go(page, address);
      const found = await page.evaluate(() => ({
        hacked: window.hacked, odd: [...document.body.querySelectorAll('script, img, iframe, object, embed, base, meta, link, style, video, template, math, form[action]')].map((el) => el.tagName),
        links: [...document.querySelectorAll('a[href]')].map((a) => a.protocol).filter((p) => !['http:', 'https:', 'mailto:'].includes(p)),
      }));
      assert.deepEqual(found, { hacked: undefined, odd: [], links: [] }, address);
    }
    await page.close();
  });

  it('are shown as text in the result of a tool and in the output of a job', async () => {
    const { job } = await server.api('/api/jobs', { method: 'POST', key: scene.key, body: { name: 'says it', schedule: 'every monday 9am', prompt: 'Say something hostile.' } });
    await server.api(`/api/jobs/${job.id}/run`, { method: 'POST', key: scene.key });
    await server.api('/v1/runs', { method: 'POST', key: scene.key, body: { session_id: 'tooled', input: 'Look for what was hacked.' } });
    await until(async () => (await server.api('/v1/runs?session_id=tooled', { key: scene.key })).data.every((r) => r.finished_at));
    const page = await signedIn('#/sessions/tooled');
    for (const [address, text] of [['#/sessions/tooled', /window\.hacked=1/], [`#/jobs/${job.id}`, /<script>window\.hacked=1<\/script>/]]) {
      await go(page, address);
      await page.evaluate(() => { for (const el of document.querySelectorAll('main details')) el.open = true; });
      await page.locator('main').getByText(text).first().waitFor();
      const found = await page.evaluate(() => [window.hacked, document.body.querySelectorAll('script, img, iframe, object, svg[onload], style').length]);
      assert.deepEqual(found, [undefined, 0], address);
    }
    await page.close();
  });

  it('are shown as text while a model streams them', async () => {
    const page = await signedIn('#/sessions/new');
    await page.getByRole('textbox', { name: 'Say something, or ask' }).fill('Say something hostile.');
    await page.keyboard.press('Enter');
    await page.locator('.message.assistant:not(.coming)').waitFor();
    await settled(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.match(await page.locator('.message.assistant').innerText(), /<script>window\.hacked=1<\/script>/);
    assert.ok(!/[\u0001\u0007\u202e]/.test(await page.locator('.message.assistant').innerText()), 'a hidden character is in the document');
    await page.close();
  });
});

describe('the whole of it', () => {
  it('asks no other origin, breaks no policy, and writes no error', () => {
    assert.deepEqual(pages.seen.reports, []);
    assert.deepEqual(pages.seen.errors, []);
    assert.deepEqual([...pages.seen.origins].filter((o) => !o.startsWith('http://127.0.0.1:')), []);
  });
});
