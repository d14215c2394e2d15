// What a web page can do to a server on the machine of whoever looks at it: in a
// real Chromium, from a page of another site, from one of another port, and from
// one whose own name leads to this machine (DNS rebinding). The server has the
// development key, which every page knows.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startChromium } from './support/chromium.mjs';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';

let upstream, server, site, browser, friend;

before(async () => {
  upstream = await startUpstream();
  site = createServer(answerPage).listen(0, '127.0.0.1');
  await once(site, 'listening');
  friend = `http://friend.test:${site.address().port}`;
  server = await startHermes({ env: {
    HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model', API_SERVER_CORS_ORIGINS: friend,
    HERMES_LOG_LEVEL: 'debug',
  } });
  browser = await startChromium({ resolve: { 'rebind.test': '127.0.0.1', 'evil.test': '127.0.0.1', 'friend.test': '127.0.0.1' } });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  await upstream?.close();
  site?.close();
  site?.closeAllConnections();
});

// answerPage is the site: an empty page everywhere, and a redirect of whatever is
// sent to /redirect?to=….
function answerPage(request, response) {
  const url = new URL(request.url, 'http://site');
  const location = url.searchParams.get('to');
  response.writeHead(location ? 307 : 200, {
    'content-type': 'text/html', 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', ...(location && { location }),
  });
  response.end('<!doctype html><title>A page</title>');
}

const chat = JSON.stringify({ model: 'hermes', messages: [{ role: 'user', content: 'My page is called Mallory.' }] });
const json = { authorization: 'Bearer hermes', 'content-type': 'application/json' };

// attempts run in the page, with the address of the server, that of the site, and
// a body for /v1/chat/completions. What they return is what the page gets to see.
const attempts = {
  'fetch GET': ({ to, json }) => fetch(`${to}/api/sessions`, { headers: json }).then((r) => r.text()),
  'fetch GET without a preflight': ({ to }) => fetch(`${to}/api/sessions`).then((r) => r.text()),
  'fetch POST of JSON': ({ to, chat, json }) => fetch(`${to}/v1/chat/completions`, { method: 'POST', headers: json, body: chat }).then((r) => r.text()),
  'fetch POST of text': ({ to, chat }) => fetch(`${to}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: chat }).then((r) => r.text()),
  'fetch DELETE': ({ to, json }) => fetch(`${to}/api/sessions/kept`, { method: 'DELETE', headers: json }).then((r) => r.text()),
  'fetch no-cors with the key': ({ to, chat, json }) => fetch(`${to}/v1/chat/completions`, { method: 'POST', mode: 'no-cors', headers: json, body: chat }).then((r) => r.text()),
  'fetch from a worker': ({ to, chat, json }) => new Promise((resolve, reject) => {
    const code = `fetch(${JSON.stringify(`${to}/v1/chat/completions`)}, {method: 'POST', headers: ${JSON.stringify(json)}, body: ${JSON.stringify(chat)}}).then((r) => r.text()).then(postMessage, (e) => postMessage(''))`;
    const worker = new Worker(URL.createObjectURL(new Blob([code])));
    worker.onmessage = (e) => resolve(e.data);
    worker.onerror = () => reject(new Error('refused'));
  }),
  'fetch from a frame without an origin': ({ to, chat, json }) => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = `<script>fetch(${JSON.stringify(`${to}/v1/chat/completions`)}, {method: 'POST', headers: ${JSON.stringify(json)}, body: ${JSON.stringify(chat)}}).then((r) => r.text()).then((t) => parent.postMessage(t, '*'), () => parent.postMessage('', '*'))</script>`;
    addEventListener('message', (e) => resolve(e.data), { once: true });
    document.body.append(frame);
  }),
  'fetch over a redirect': ({ to, site, chat }) => fetch(`${site}/redirect?to=${encodeURIComponent(`${to}/v1/chat/completions`)}`, { method: 'POST', body: chat }).then((r) => r.text()),
  'form POST': ({ to, chat }) => post(to, 'text/plain', chat),
  'form POST, urlencoded': ({ to, chat }) => post(to, 'application/x-www-form-urlencoded', chat),
  sendBeacon: ({ to, chat }) => { navigator.sendBeacon(`${to}/v1/chat/completions`, chat); },
  'sendBeacon of JSON': ({ to, chat }) => { navigator.sendBeacon(`${to}/v1/chat/completions`, new Blob([chat], { type: 'application/json' })); },
  'image': ({ to }) => load('img', `${to}/api/sessions`),
  'script': ({ to }) => load('script', `${to}/api/sessions`),
  'stylesheet': ({ to }) => load('link', `${to}/api/sessions`),
  'frame': ({ to }) => load('iframe', `${to}/api/sessions`),
  EventSource: ({ to }) => new Promise((resolve) => {
    const source = new EventSource(`${to}/v1/runs/x/events`);
    source.onmessage = (e) => resolve(e.data);
    source.onerror = () => resolve('');
  }),
  WebSocket: ({ to }) => new Promise((resolve) => {
    const socket = new WebSocket(`${to.replace('http', 'ws')}/v1/chat/completions`);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('');
  }),
};

// helpers are put into each page.
function helpers() {
  window.post = (to, enctype, body) => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = `answer${document.querySelectorAll('iframe').length}`;
    document.body.append(frame);
    const form = Object.assign(document.createElement('form'), { method: 'POST', enctype, action: `${to}/v1/chat/completions`, target: frame.name });
    // As text/plain, name=value is sent as it is: {"model":…,"x":"=…"}
    form.append(Object.assign(document.createElement('input'), { name: `${body.slice(0, -1)},"x":"`, value: '"}' }));
    document.body.append(form);
    frame.onload = () => { try { resolve(frame.contentDocument?.body?.innerText ?? ''); } catch { resolve(''); } };
    form.submit();
  });
  window.load = (tag, address) => new Promise((resolve) => {
    const element = document.createElement(tag);
    element.onload = () => { try { resolve(tag === 'iframe' ? element.contentDocument?.body?.innerText ?? '' : 'loaded'); } catch { resolve(''); } };
    element.onerror = () => resolve('');
    if (tag === 'link') Object.assign(element, { rel: 'stylesheet', href: address });
    else element.src = address;
    document.body.append(element);
  });
}

// pages are where the attempts come from.
const pages = {
  'a page of another site': { at: () => `http://evil.test:${site.address().port}/`, to: () => server.url },
  'a page of another port of this machine': { at: () => `http://127.0.0.1:${site.address().port}/`, to: () => server.url },
  // Its own server has answered with the page, and then its name led here.
  'a page whose name leads here': { at: () => `http://rebind.test:${new URL(server.url).port}/page`, to: () => `http://rebind.test:${new URL(server.url).port}` },
};

// open opens a page. The one that rebinds is given by the test in place of its own
// server; what it asks from then on goes over the network.
async function open(address) {
  const page = await browser.page();
  if (address.startsWith('http://rebind.test')) await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title><body>' }));
  await page.goto(address);
  await page.unrouteAll();
  await page.evaluate(helpers);
  await page.waitForLoadState();
  return page;
}

// asked are the requests that the server has logged behind a point of its log, once
// there is one: each attempt must arrive, or the browser alone has refused it.
async function asked(from) {
  for (let waited = 0; waited < 5000; waited += 10) {
    const lines = server.output.slice(from).split('\n').filter((line) => line.includes('msg=request'));
    if (lines.length > 0) {
      await pause(50); // for one that comes behind a preflight
      return server.output.slice(from).split('\n').filter((line) => line.includes('msg=request'));
    }
    await pause(10);
  }
  return [];
}

// refused reports whether a request was refused for its host, for its origin, or
// for want of a key, which a browser sends with nothing but a script's own request.
const refused = (line) => / status=(401|403|421) /.test(line);

const inside = () => server.api('/api/sessions').then(({ data }) => data.map((s) => [s.id, s.message_count]));

describe('the same from outside a browser', () => {
  it('is allowed', async () => {
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers: { ...json, 'X-Hermes-Session-Id': 'kept' }, body: chat });
    assert.equal(response.status, 200);
    assert.equal((await fetch(`${server.url}/api/sessions`, { headers: json })).status, 200);
    assert.equal(upstream.calls.length, 1);
  });
});

for (const [name, { at, to }] of Object.entries(pages)) {
  describe(name, () => {
    for (const [attempt, run] of Object.entries(attempts)) {
      it(`gets nowhere by ${attempt}`, async () => {
        const [before, calls] = [await inside(), upstream.calls.length];
        const page = await open(at());
        const from = server.output.length;
        const found = await page.evaluate(run, { to: to(), site: new URL(at()).origin, chat, json }).catch(() => '');
        const requests = await asked(from);
        await page.close();
        assert.match(String(found ?? ''), /^$|"code":"host_not_allowed"/);
        assert.notEqual(requests.length, 0, 'nothing has arrived');
        assert.deepEqual(requests.filter((line) => !refused(line)), []);
        assert.equal(upstream.calls.length, calls, 'the model was asked');
        assert.deepEqual(await inside(), before);
      });
    }
  });
}

describe('a page of an origin that is named in server.origins', () => {
  it('is let in, and what it was let do counts for no other', async () => {
    const ours = await open(`${friend}/`);
    const ask = (to) => ours.evaluate(attempts['fetch POST of JSON'], { to, chat, json });
    assert.match(await ask(server.url), /choices/);
    await ours.close();
    // The preflight was answered for 600 seconds: for that page's origin only.
    const theirs = await open(`http://evil.test:${site.address().port}/`);
    const calls = upstream.calls.length;
    await assert.rejects(theirs.evaluate(attempts['fetch POST of JSON'], { to: server.url, chat, json }), /Failed to fetch/);
    await theirs.close();
    assert.equal(upstream.calls.length, calls);
  });
});
