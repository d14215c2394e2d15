// What a web page of another site, or of another port of this machine, can do to the page of
// a server: frame it, load its files, open it in a window and steer that window. The server
// has the development key, so whoever opens its page is signed in. What such pages send by
// themselves is tried in browser.test.mjs.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { startChromium } from './support/chromium.mjs';
import { startHermes } from './support/hermes.mjs';
import { settled, watch } from './support/page.mjs';
import { hostile, screens } from './support/screens.mjs';
import { until } from './support/scene.mjs';

let server, site, friend, stripped, browser, assets;

const blank = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title><body>');

const listen = async (handler) => {
  const s = createServer(handler).listen(0, '127.0.0.1');
  await once(s, 'listening');
  return s;
};
const local = (s) => `http://127.0.0.1:${s.address().port}`;

// strip passes requests on to the server without what the browser says of their site: the
// server then has no rule about it.
function strip(incoming, response) {
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !name.startsWith('sec-fetch-')));
  const to = new URL(server.url);
  const out = request({ host: to.hostname, port: to.port, path: incoming.url, method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  out.on('error', () => response.destroy());
  incoming.pipe(out);
}

before(async () => {
  [site, friend, stripped] = [await listen(blank), await listen(blank), await listen(strip)];
  server = await startHermes({ env: { HERMES_LOG_LEVEL: 'debug', API_SERVER_CORS_ORIGINS: local(friend) } });
  await server.api('/api/sessions/kept/messages', { method: 'POST', body: { messages: [{ role: 'user', content: 'My name is Ada.' }] } });
  const index = await (await fetch(`${server.url}/`, { headers: { accept: 'text/html' } })).text();
  assets = [...new Set([...index.matchAll(/(?:href|src)="([^"]*assets\/[^"]+)"/g)].map((m) => m[1].replace(/^\.?\//, '')))];
  browser = await startChromium({ resolve: { 'evil.test': '127.0.0.1' } });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  for (const s of [site, friend, stripped]) { s?.close(); s?.closeAllConnections(); }
});

// statuses are those of the requests that the server has logged behind a point of its log. The news that a window of an
// earlier test followed are logged when the server sees that the window is closed.
const statuses = (from) => [...server.output.slice(from).matchAll(/msg=request.* status=(\d+) .*/g)]
  .filter(([line]) => !line.includes('/api/events')).map((m) => Number(m[1]));

// tried waits until the server has logged so many requests more.
async function tried(from, count) {
  await until(() => statuses(from).length >= count);
  return statuses(from);
}

// loading puts elements into the document, and counts those that load.
const loading = (page, addresses) => page.evaluate((list) => Promise.all(list.map(([tag, address, type]) => new Promise((resolve) => {
  const el = document.createElement(tag);
  el.onload = () => resolve(true);
  el.onerror = () => resolve(false);
  if (type) el.type = type;
  if (tag === 'link') Object.assign(el, { rel: 'stylesheet', href: address });
  else el.src = address;
  document.body.append(el);
}))).then((all) => all.filter(Boolean).length), addresses);

// everyFile are the elements that load the files of the page. The query keeps the browser from
// taking them out of its cache.
let asked = 0;
const everyFile = (base) => assets.flatMap((path) => {
  const address = `${base}/${path}?${asked++}`;
  if (path.endsWith('.css')) return [['link', address]];
  if (path.endsWith('.svg')) return [['img', address]];
  return [['script', address], ['script', address, 'module']];
});

const open = async (address) => {
  const page = await browser.page();
  page.setDefaultTimeout(8000);
  await page.goto(address);
  return page;
};

const known = async () => JSON.stringify([
  (await server.api('/api/sessions')).data.map((s) => [s.id, s.title, s.message_count]), (await server.api('/api/jobs')).data.length,
  (await server.api('/api/keys')).data.length, (await server.api('/api/memory?session_id=kept')).data.map((f) => f.id),
]);

const strangers = { 'a page of another site': () => `http://evil.test:${site.address().port}/`, 'a page of another port of this machine': () => `${local(site)}/` };

for (const [name, at] of Object.entries(strangers)) {
  describe(name, () => {
    it('loads no file of the page, and reaches no handler', async () => {
      assert.ok(assets.length > 30, 'the files of the page are known');
      const page = await open(at());
      const from = server.output.length;
      const files = everyFile(server.url);
      assert.equal(await loading(page, files), 0);
      const got = await tried(from, files.length);
      assert.deepEqual(got.filter((status) => status !== 403), []);
      await page.close();
    });

    it('shows the page in no frame', async () => {
      const page = await open(at());
      const from = server.output.length;
      await loading(page, [['iframe', `${server.url}/`], ['iframe', `${server.url}/#/memory`], ['iframe', `${server.url}/api/page`]]);
      assert.deepEqual(await tried(from, 3), [403, 403, 403]);
      for (const frame of page.frames().slice(1)) assert.equal(await frame.locator('#page').count(), 0);
      await page.close();
    });

    it('reaches handlers, if the server does not know of which site requests are, and still loads and frames nothing', async () => {
      const page = await open(at());
      const from = server.output.length;
      const files = [...everyFile(local(stripped)).filter(([tag, , type]) => tag !== 'script' || !type), ['iframe', `${local(stripped)}/`]];
      const loaded = await loading(page, files);
      const got = await tried(from, files.length);
      assert.ok(got.filter((status) => status === 200).length > 30, `got ${got}`);
      assert.ok(loaded <= 1, `${loaded} files were loaded`); // a frame tells that it has loaded an error, too
      for (const frame of page.frames().slice(1)) assert.equal(await frame.locator('#page').count(), 0);
      await page.close();
    });

    it('reads nothing of a window that it has opened, and writes nothing by steering it', async () => {
      const page = await open(at());
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate((to) => { window.other = window.open(to); }, `${server.url}/`)]);
      watch(popup);
      await popup.getByText('Development key').waitFor();
      const was = await known();
      const seen = await page.evaluate(() => ['document', 'localStorage', 'sessionStorage', 'name', 'origin', 'caches', 'indexedDB'].filter((what) => {
        try { return window.other[what] !== undefined; } catch { return false; }
      }));
      assert.deepEqual(seen, []);
      const from = server.output.length;
      const says = encodeURIComponent(hostile[0]);
      const orders = ['#/sessions/kept/delete', '#/sessions/kept?action=delete', `#/sessions/new?say=${says}`, `#/sessions/new/${says}`, `#/search?q=${says}`,
        '#/jobs/new?prompt=x&schedule=daily', '#/memory/session/kept/forget?about=Ada', '#/memory/session/kept/facts?forget=Ada', `#/in/${'a'.repeat(32)}`];
      for (const fragment of [...Object.values(screens({ job: 'job_x', run: 'run_x' })), ...orders]) {
        await page.evaluate((to) => {
          window.other.location.href = to;
          window.other.postMessage({ type: 'forget', about: 'Ada' }, '*');
        }, `${server.url}/${fragment}`);
        await popup.waitForFunction((hash) => location.hash === hash || !location.hash.startsWith('#/in/'), fragment);
        await settled(popup); // the address changes before the page does
        const fields = await popup.locator('textarea').evaluateAll((all) => all.map((field) => field.value));
        assert.deepEqual(fields.filter(Boolean), [], fragment);
      }
      assert.equal(await known(), was);
      const writes = server.output.slice(from).split('\n').filter((line) => /msg=request/.test(line) && /method=(POST|PUT|PATCH|DELETE)/.test(line) && !/api\/page\/token/.test(line));
      assert.deepEqual(writes, []);
      await popup.close();
      await page.close();
    });
  });
}

describe('a page of another port of this machine that server.origins names', () => {
  it('may fetch with a key, and gets no file by other elements, and no frame', async () => {
    const page = await open(`${local(friend)}/`);
    const text = await page.evaluate((to) => fetch(`${to}/api/sessions`, { headers: { authorization: 'Bearer hermes' } }).then((r) => r.text()), server.url);
    assert.match(text, /"kept"/);
    const from = server.output.length;
    // A module is fetched as by fetch, with the origin of the page.
    const files = everyFile(server.url).filter(([, , type]) => type !== 'module');
    assert.equal(await loading(page, files), 0);
    await loading(page, [['iframe', `${server.url}/`]]);
    assert.deepEqual((await tried(from, files.length + 1)).filter((status) => status !== 403), []);
    for (const frame of page.frames().slice(1)) assert.equal(await frame.locator('#page').count(), 0);
    await page.close();
  });
});
