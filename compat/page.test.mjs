// The page of the server in a real browser: getting in, a first conversation, and how it
// behaves below the path of a proxy.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { startHermes } from './support/hermes.mjs';
import { answered, go, say, sizes, startPages, violations } from './support/page.mjs';

let pages;
before(async () => { pages = await startPages(); });
after(async () => {
  await pages?.close();
});

// firstTalk tells the server something, and asks for it.
async function firstTalk(page) {
  await page.getByText('Development key').waitFor();
  await page.getByRole('link', { name: 'New', exact: true }).click();
  await say(page, 'We chose PostgreSQL because of JSON columns.');
  await answered(page, 1);
  await say(page, 'Which database did we choose?');
  assert.match(await answered(page, 2), /you chose PostgreSQL because of JSON columns/);
}

describe('a new home', () => {
  let server;
  before(async () => { server = await startHermes(); });
  after(() => server?.stop());

  it('needs no sign-in on this machine, learns a fact and answers with it', async () => {
    const page = await pages.open(`${server.url}/`);
    await firstTalk(page);
    assert.equal(await page.locator('dialog[open]').count(), 0);
    await page.locator('.learnt').first().getByText('We chose PostgreSQL because of JSON columns').waitFor();
    await page.locator('.session .title').getByText('We chose PostgreSQL').waitFor();
    await page.close();
  });

  it('sends Enter only when no input method composes, and breaks the line with Shift', async () => {
    const page = await pages.open(`${server.url}/#/sessions/new`);
    const field = page.getByRole('textbox', { name: 'Say something, or ask' });
    await field.fill('日本');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true });
    await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
    assert.equal(await field.inputValue(), '日本');
    assert.equal(await page.locator('.message').count(), 0);
    await field.press('Shift+Enter');
    assert.equal(await field.inputValue(), '日本\n');
    await field.press('Enter');
    await answered(page, 1);
    assert.equal(await field.inputValue(), '');
    await page.close();
  });

  it('breaks the line with Enter on a touch screen', async () => {
    const page = await pages.open(`${server.url}/#/sessions/new`, {
      size: sizes.narrow,
      before: (p) => p.addInitScript(() => {
        const match = window.matchMedia;
        window.matchMedia = (q) => (q === '(pointer: coarse)' ? Object.assign(new EventTarget(), { matches: true, media: q }) : match.call(window, q));
      }),
    });
    const field = page.getByRole('textbox', { name: 'Say something, or ask' });
    await field.fill('one');
    await field.press('Enter');
    assert.equal(await field.inputValue(), 'one\n');
    assert.equal(await page.locator('.message').count(), 0);
    await page.close();
  });

  it('keeps a draft over a reload, for each session its own', async () => {
    const page = await pages.open(`${server.url}/#/sessions/new`);
    const field = page.getByRole('textbox', { name: 'Say something, or ask' });
    await field.fill('half a sent\non\nfour\nlines');
    await page.reload();
    await page.waitForFunction(() => document.querySelector('.compose textarea')?.value === 'half a sent\non\nfour\nlines');
    await page.waitForFunction(() => { const el = document.querySelector('.compose textarea'); return el.clientHeight >= el.scrollHeight; }); // all of it is seen
    await page.close();
  });
});

describe('below a path of a proxy', () => {
  let server, proxy;
  before(async () => {
    server = await startHermes();
    const to = new URL(server.url);
    proxy = createServer((req, res) => {
      if (!req.url.startsWith('/hermes/')) { res.writeHead(404).end(); return; }
      const out = request({ host: to.hostname, port: to.port, path: req.url.slice('/hermes'.length), method: req.method, headers: { ...req.headers } }, (answer) => {
        res.writeHead(answer.statusCode, answer.headers);
        answer.pipe(res);
      });
      req.pipe(out);
      res.on('close', () => out.destroy());
      out.on('error', () => res.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  after(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await server?.stop();
  });

  it('does all of it', async () => {
    const page = await pages.open(`http://127.0.0.1:${proxy.address().port}/hermes/`);
    await firstTalk(page);
    await page.close();
  });
});

describe('with a key', () => {
  let server, key;
  before(async () => {
    server = await startHermes({ env: { HERMES_LOG_LEVEL: 'debug' } });
    const made = await server.api('/api/keys', { method: 'POST', body: { name: 'laptop', scopes: ['chat', 'sessions:read', 'sessions:write', 'memory', 'jobs', 'admin'] } });
    key = made.key;
  });
  after(() => server?.stop());

  const signIn = async (page, secret) => {
    await page.getByLabel('Key', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('says that a wrong key is wrong, and takes the right one', async () => {
    const page = await pages.open(`${server.url}/`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await signIn(page, 'hk_wrong_wrong');
    await page.locator('#key-trouble').getByText('This key is not known').waitFor();
    await signIn(page, key);
    await page.getByText('Signed in as laptop').waitFor();
    await page.close();
  });

  it('keeps neither the key nor the token where others find it', async () => {
    const page = await pages.open(`${server.url}/`);
    await signIn(page, key);
    await page.getByText('Signed in as laptop').waitFor();
    assert.ok(!(await page.evaluate(() => location.href)).includes('hp_'), 'the token is in the address');
    await go(page, '#/sessions/new');
    await say(page, 'My cat is called Tom.');
    await answered(page, 1);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    const token = /hp_[\w-]+/.exec(stored)?.[0];
    assert.ok(token, 'the token is kept in the storage of the tab');
    const everywhere = [
      await page.evaluate(() => location.href + document.documentElement.outerHTML), server.output,
      JSON.stringify(await server.api('/api/audit?limit=200', { key })), ...filesBelow(server.home),
    ].join('\n');
    assert.ok(!everywhere.includes(token), 'the token is in an address, the page, the log, the audit or a file');
    assert.ok(!stored.includes(key) && !everywhere.includes(key), 'the key is kept somewhere');
    await page.close();
  });

  it('asks again when the key is revoked, and loses no draft', async () => {
    const made = await server.api('/api/keys', { method: 'POST', key, body: { name: 'tablet', owner: 'laptop', scopes: ['chat', 'sessions:read', 'sessions:write', 'memory'] } });
    const page = await pages.open(`${server.url}/`);
    await signIn(page, made.key);
    await page.getByText('Signed in as tablet').waitFor();
    await go(page, '#/sessions/new');
    await page.getByRole('textbox', { name: 'Say something, or ask' }).fill('not yet sent');
    const began = Date.now();
    await server.api(`/api/keys/${made.id}`, { method: 'DELETE', key });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.ok(Date.now() - began < 2000, `it took ${Date.now() - began} ms`);
    await signIn(page, key);
    await page.getByText('Signed in as laptop').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Say something, or ask' }).inputValue(), 'not yet sent');
    await page.close();
  });

  it('signs in with a code once', async () => {
    const { code } = await server.api('/api/page/codes', { method: 'POST', key });
    const page = await pages.open(`${server.url}/#/in/${code}`);
    await page.getByText('Signed in as laptop').waitFor();
    assert.ok(!(await page.evaluate(() => location.href)).includes(code));
    const other = await pages.open(`${server.url}/#/in/${code}`);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.close();
    await other.close();
  });

  it('shows a key of one scope its places only, and names the scope of the others', async () => {
    const made = await server.api('/api/keys', { method: 'POST', key, body: { name: 'reader', scopes: ['sessions:read'] } });
    const page = await pages.open(`${server.url}/`);
    await signIn(page, made.key);
    await page.getByText('Signed in as reader').waitFor();
    assert.deepEqual(await page.locator('.links a:visible').allInnerTexts(), ['Sessions', 'Search', 'Cost', 'Settings']);
    await go(page, '#/memory');
    await page.getByText('Memory needs a key with the scope “memory”').waitFor();
    await page.close();
  });
});

// filesBelow are the contents of the files of a home.
function* filesBelow(dir) {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) yield* filesBelow(path);
    else if (stat?.isFile()) yield readFileSync(path, 'latin1');
  }
}

describe('the whole of it', () => {
  it('asks no other origin, breaks no policy, and writes no error', async () => {
    assert.deepEqual(pages.seen.reports, []);
    assert.deepEqual(pages.seen.errors, []);
    assert.deepEqual([...pages.seen.origins].filter((o) => !o.startsWith('http://127.0.0.1:')), []);
  });
});
