// How quick the page is over a home of the size of years. It prints a table of what was
// measured, beside what must hold; a row that misses says so. `BENCH=page make bench` runs
// it. PAGE_HOME keeps the filled home for the next time, SCALE=10 makes all of it smaller,
// and ONLY=stream measures a part.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newHome, startHermes } from './support/hermes.mjs';
import { fillHuge, fillLong, fillSessions } from './support/large.mjs';
import { say, sizes, startPages } from './support/page.mjs';
import { startUpstream } from './support/upstream.mjs';

const only = process.env.ONLY && new RegExp(process.env.ONLY, 'i');
const scale = Number(process.env.SCALE ?? 1);
const size = { messages: 102_000 / scale, sessions: 10_000 / scale, huge: 9_990_000 / scale };
const facts = 'session_key=team:long&limit=100';

const rows = [];
// row notes what was measured; holds is undefined for what has no bar.
const row = (what, figure, bar = '', holds = undefined) => {
  rows.push([what, figure, bar, holds === false ? 'MISSED' : '']);
  console.log(`${what.padEnd(56)} ${figure.padEnd(34)} ${bar} ${holds === false ? 'MISSED' : ''}`);
};
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const ms = (n) => `${n < 10 ? n.toFixed(1) : n.toFixed(0)} ms`;
const times = async (n, f) => { const out = []; for (let i = 0; i < n; i++) out.push(await f(i)); return out; };

async function fill(server) {
  const there = (id) => server.api(`/api/sessions/${id}`).then(() => true, () => false);
  const began = Date.now();
  if (!await there('long')) await fillLong(server, { messages: size.messages });
  if (!await there(`s${size.sessions - 1}`)) await fillSessions(server, size.sessions);
  if (!await there('huge')) await fillHuge(server, size.huge);
  console.log(`filled in ${Math.round((Date.now() - began) / 1000)} s`);
}

// asked is how long the server takes for a request, and how many bytes its answer has.
async function asked(server, path) {
  let bytes = 0;
  const took = await times(9, async () => {
    const began = performance.now();
    const response = await fetch(server.url + path, { headers: { authorization: 'Bearer hermes' } });
    bytes = (await response.arrayBuffer()).byteLength;
    return performance.now() - began;
  });
  return { took: median(took), bytes };
}

async function measureServer(server) {
  const last = size.messages;
  const page = await asked(server, `/api/sessions/long/messages?limit=50&format=nodes&before=${last / 2}`);
  row('server: 50 messages in the middle', ms(page.took));
  const list = await asked(server, '/api/sessions?limit=50');
  row(`server: 50 of ${size.sessions} sessions`, ms(list.took));
  for (const [name, query] of Object.entries({ 'the first 100': '', newest: '&order=latest', reversed: '&status=reversed', 'not taken as true': '&asserted=false&status=all', 'with a word': '&q=kafka', 'with a word that none has': '&q=zebra&status=all' })) {
    const found = await asked(server, `/api/memory?${facts}${query}`);
    row(`server: facts, ${name}`, `${ms(found.took)}, ${Math.round(found.bytes / 1000)} KB`, '≤ 50 ms, ≤ 80 KB', found.took <= 50 && found.bytes <= 80_000);
  }
  const line = await asked(server, `/api/memory/timeline?${facts}`);
  row('server: the timeline, its first 100', `${ms(line.took)}, ${Math.round(line.bytes / 1000)} KB`, '≤ 50 ms, ≤ 80 KB', line.took <= 50 && line.bytes <= 80_000);
}

// readFiles reads all files of the page over six connections, as a browser does, and gives
// their sizes.
async function readFiles(server) {
  const agent = new Agent({ keepAlive: true, maxSockets: 6 });
  const read = (path) => new Promise((resolve, reject) => {
    const request = get(new URL(path, `${server.url}/`), { agent, headers: { accept: 'text/html,*/*', 'accept-encoding': 'gzip' } });
    request.on('error', reject).on('response', (response) => response.on('end', () => resolve(Number(response.headers['content-length']))).resume());
  });
  const index = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
  const files = [...new Set([...index.matchAll(/(?:href|src)="([^"]+)"/g)].map((m) => m[1]))];
  const sizes = await Promise.all(['', ...files].map(read));
  agent.destroy();
  return sizes;
}

const proc = (server, file) => readFileSync(`/proc/${JSON.parse(readFileSync(join(server.home, 'server.json'), 'utf8')).pid}/${file}`, 'utf8');

// held is the memory of a server, in MB. What it has mapped of its program is not counted: another
// server that runs the same program would share that.
const held = (server) => Number(/^Pss_Anon: +(\d+) kB/m.exec(proc(server, 'smaps_rollup'))[1]) / 1024;

// used is the processor time of a server since its start, in milliseconds.
function used(server) {
  const { pid } = JSON.parse(readFileSync(join(server.home, 'server.json'), 'utf8'));
  return readdirSync(`/proc/${pid}/task`).reduce((sum, id) => sum + Number(proc(server, `task/${id}/schedstat`).split(' ')[0]), 0) / 1e6;
}

// bothPrograms are a copy of the server, and one that was built with nothing in the place of the
// page. A program that has run before starts at another cost.
function bothPrograms() {
  const [dir, web] = [newHome(), fileURLToPath(new URL('../internal/web/', import.meta.url))];
  writeFileSync(join(dir, 'web.go'), 'package web\n\nimport "net/http"\n\nfunc Index(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }\n\n'
    + 'func Asset(http.ResponseWriter, *http.Request, string, string) bool { return false }\n');
  writeFileSync(join(dir, 'overlay.json'), JSON.stringify({ Replace: { [join(web, 'web.go')]: join(dir, 'web.go'), [join(web, 'files.go')]: '' } }));
  execFileSync(process.env.GO ?? 'go', ['build', '-overlay', join(dir, 'overlay.json'), '-o', join(dir, 'hermes'), './cmd/hermes'], { cwd: join(web, '../..'), env: { ...process.env, CGO_ENABLED: '0' } });
  copyFileSync(process.env.HERMES_BIN, join(dir, 'whole'));
  chmodSync(join(dir, 'whole'), 0o755);
  return [join(dir, 'whole'), join(dir, 'hermes')];
}

// measureStart starts servers with an empty home, with the page and without it in turn.
async function measureStart() {
  const programs = bothPrograms();
  const start = async (program) => {
    const server = await startHermes({ program });
    const cpu = used(server);
    await pause(500);
    const memory = held(server);
    await server.stop();
    return { cpu, memory };
  };
  const pairs = await times(15, async (i) => {
    const [first, second] = [await start(programs[i % 2]), await start(programs[1 - i % 2])];
    return i % 2 === 0 ? [first, second] : [second, first];
  });
  // Of processor time the least is taken: what others do on the machine only adds to it.
  const [least, half] = [(list) => Math.min(...list), median];
  const more = (of, name) => of(pairs.map(([page]) => page[name])) - of(pairs.map(([, none]) => none[name]));
  const [cpu, memory] = [more(least, 'cpu'), more(half, 'memory')];
  row('start of the server: processor time with the page', `${cpu.toFixed(1)} ms more`, '≤ 2 ms', cpu <= 2);
  row('idle memory with the page, of which nothing was read', `${memory.toFixed(1)} MB more`, '≤ 1 MB', memory <= 1);
}

// measureIdle starts servers with an empty home, and has a browser's worth of files read.
async function measureIdle() {
  const more = await times(9, async () => {
    const server = await startHermes();
    await fetch(`${server.url}/api/me`, { headers: { authorization: 'Bearer hermes' } });
    await pause(500);
    const before = held(server);
    await readFiles(server);
    await pause(500);
    const after = held(server);
    await server.stop();
    return after - before;
  });
  row('idle memory, once all files were read', `${median(more).toFixed(1)} MB more`, '≤ 1 MB', median(more) <= 1);
}

async function measureFiles(server) {
  const sent = await readFiles(server);
  const total = sent.reduce((a, b) => a + b, 0);
  row('all files, gzip', `${(total / 1000).toFixed(1)} KB in ${sent.length} files`, '≤ 60 KB, hard 90', total <= 60_000);
}

const paint = (page) => page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime).then((h) => h.jsonValue());

// painted is how long a page takes to its first paint, visited anew and again.
async function painted(pages, address) {
  const page = await pages.open('about:blank', { size: sizes.wide });
  const cdp = await page.context().newCDPSession(page);
  const visit = async (clear) => {
    if (clear) await cdp.send('Network.clearBrowserCache');
    await page.goto('about:blank');
    await page.goto(address);
    return paint(page);
  };
  const first = await times(7, () => visit(true));
  const again = await times(9, () => visit(false));
  await page.close();
  return { first: median(first), again: median(again) };
}

async function measurePaint(server, pages) {
  const plain = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title><p>A paragraph.</p>')).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const paragraph = await painted(pages, `http://127.0.0.1:${plain.address().port}/`);
  plain.close();
  const ours = await painted(pages, `${server.url}/`);
  row('first paint, again (a paragraph)', `${ms(ours.again)} (${ms(paragraph.again)})`, '≤ the paragraph + 120', ours.again <= paragraph.again + 120);
  row('first paint, first visit (a paragraph)', `${ms(ours.first)} (${ms(paragraph.first)})`, '≤ the paragraph + 150', ours.first <= paragraph.first + 150);
}

// traced does something in a page, and gives the tasks of the page's thread meanwhile: their
// CPU time, which other work on the machine does not change, and how long they took by the
// clock, longest first; and the pauses between frames.
async function traced(page, act) {
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => { events.push(...value); });
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', 'blink.user_timing'] } });
  await page.evaluate(() => {
    performance.mark('begun');
    window.pauses = [];
    let was = performance.now();
    const tick = (now) => { window.pauses.push(now - was); was = now; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  });
  const result = await act();
  const pauses = (await page.evaluate(() => window.pauses)).toSorted((a, b) => a - b);
  const done = new Promise((resolve) => { cdp.once('Tracing.tracingComplete', resolve); });
  await cdp.send('Tracing.end');
  await done;
  const mark = events.find((e) => e.name === 'begun');
  const own = events.filter((e) => e.ph === 'X' && e.pid === mark.pid && e.tid === mark.tid && /RunTask/.test(e.name));
  const down = (list) => list.toSorted((a, b) => b - a);
  return { result, cpu: down(own.map((e) => (e.tdur ?? 0) / 1000)), wall: down(own.map((e) => e.dur / 1000)), p99: pauses[Math.floor(pauses.length * 0.99)] ?? 0 };
}

// longest says how long the longest task was.
const longest = ({ cpu, wall, p99 }) => `${ms(cpu[0])} of CPU, ${ms(wall[0])} by the clock, p99 of frames ${ms(p99)}`;

// heap is what the page holds once what it has dropped is collected, in MB.
async function heap(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  await cdp.send('Performance.enable');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find((m) => m.name === 'JSHeapUsedSize').value / 1e6;
}

async function measureTranscript(server, pages) {
  const last = size.messages - 1;
  const page = await pages.open('about:blank');
  const readable = () => times(7, async () => {
    await page.goto('about:blank');
    await page.goto(`${server.url}/#/sessions/long`);
    return page.waitForFunction((n) => document.getElementById(`m${n}`) && performance.now(), last, { polling: 'raf' }).then((h) => h.jsonValue());
  });
  const took = await readable();
  row(`newest 50 of ${size.messages} messages readable, again`, ms(median(took.slice(1))), '≤ 300 ms on a quiet machine', median(took.slice(1)) <= 300);
  const jumps = await times(10, (i) => page.evaluate(async (seq) => {
    const began = performance.now();
    location.hash = `#/sessions/long/${seq}`;
    while (!document.querySelector(`#m${seq}.target`)) await new Promise((r) => { requestAnimationFrame(r); });
    return performance.now() - began;
  }, Math.floor((i + 0.5) * last / 10)));
  row('jump to any message, median and most', `${ms(median(jumps))}, ${ms(Math.max(...jumps))}`, '≤ 200 ms', median(jumps) <= 200);
  await page.goto('about:blank');
  await page.goto(`${server.url}/#/sessions/long`);
  await page.locator(`#m${last}`).waitFor();
  const tasks = await traced(page, () => page.evaluate(async (to) => {
    const el = document.querySelector('.talk');
    let rows_ = 0;
    const first = () => Number(document.querySelector('.message').id.slice(1));
    while (first() > to) {
      el.scrollTop = Math.max(0, el.scrollTop - 600);
      await new Promise((r) => { requestAnimationFrame(r); });
      rows_ = Math.max(rows_, document.querySelectorAll('.message').length);
    }
    return rows_;
  }, last - 5000));
  const held = await heap(page);
  row('5,000 messages scrolled back: longest task', longest(tasks), '≤ 100 ms', tasks.cpu[0] <= 100);
  row('the same: rows in the document, heap', `${tasks.result}, ${held.toFixed(1)} MB`, '≤ 250, ≤ 20 MB', tasks.result <= 250 && held <= 20);
  await page.close();
}

async function measureSessions(server, pages) {
  const page = await pages.open(`${server.url}/#/sessions`);
  await page.locator('a.row').first().waitFor();
  const began = Date.now();
  const most = await page.evaluate(async (count) => {
    const el = document.querySelector('.rows');
    let [rows_, quiet, was] = [0, 0, -1];
    while (quiet < 60) {
      el.scrollTop += 3000;
      await new Promise((r) => { requestAnimationFrame(r); });
      rows_ = Math.max(rows_, el.querySelectorAll('li').length);
      quiet = el.scrollTop === was ? quiet + 1 : 0;
      was = el.scrollTop;
      if (el.scrollHeight >= count * 58 && el.scrollTop + el.clientHeight >= el.scrollHeight - 1) break;
    }
    return [rows_, Math.round(el.scrollHeight / 58)];
  }, size.sessions);
  const held = await heap(page);
  row(`all of ${most[1]} sessions scrolled through`, `${((Date.now() - began) / 1000).toFixed(1)} s; ${most[0]} rows, ${held.toFixed(1)} MB`, '≤ 60 rows, ≤ 30 MB', most[0] <= 60 && held <= 30 && most[1] >= size.sessions);
  await page.close();
}

async function measureStream(server, pages, upstream) {
  const paragraph = (i) => `\n\n## Part ${i}\n\nSome **bold** words and a [link](https://example.org/${i}), \`code\` and more of them, so that there is something to read.\n\n- one\n- two\n- three\n\n| a | b |\n|---|---|\n| ${i} | x |\n`;
  const texts = { 'many blocks': Array.from({ length: 500 }, (_, i) => paragraph(i)).join('').slice(0, 100_000), 'one list': Array.from({ length: 2500 }, (_, i) => `- item ${i} with **some** more words\n`).join('').slice(0, 100_000) };
  for (const [name, text] of Object.entries(texts)) {
    const step = Math.ceil(text.length / 200);
    upstream.queue({ chunks: Array.from({ length: 200 }, (_, i) => text.slice(i * step, (i + 1) * step)), between: 20 });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    const tasks = await traced(page, async () => {
      await say(page, 'Tell me at length.');
      await page.waitForFunction(() => document.querySelector('.message.assistant') && !document.querySelector('.coming') && !document.querySelector('.pending'), null, { timeout: 60_000 });
    });
    row(`100 KB of Markdown in 200 pieces, ${name}: longest task`, longest(tasks), '≤ 50 ms', tasks.cpu[0] <= 50);
    await page.close();
  }
}

async function measureHuge(server, pages) {
  const page = await pages.open('about:blank');
  const bodies = [];
  page.on('response', (r) => { if (/messages/.test(r.url())) bodies.push(r.body()); });
  await page.goto(`${server.url}/#/sessions/huge`);
  const took = await page.waitForFunction(() => document.getElementById('m2') && performance.now(), null, { polling: 'raf' }).then((h) => h.jsonValue());
  const bytes = (await Promise.all(bodies)).reduce((n, body) => n + body.length, 0);
  row(`a message of ${size.huge / 1e6} MB: readable`, `${ms(took)}, ${Math.round(bytes / 1000)} KB read`);
  await page.close();
}

const home = process.env.PAGE_HOME ?? newHome();
if (!existsSync(join(home, 'state.db'))) mkdirSync(home, { recursive: true });
const pages = await startPages();
const upstream = await startUpstream({ reply: () => ({ text: 'Noted.' }) });
const began = performance.now();
const server = await startHermes({ home, env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
console.log(`the server answered after ${ms(performance.now() - began)}`);
try {
  await fill(server);
  for (const measure of [measureFiles, measureStart, measureIdle, measureServer, measurePaint, measureTranscript, measureSessions, measureStream, measureHuge]) {
    if (!only || only.test(measure.name)) await measure(server, pages, upstream);
  }
  const others = [...pages.seen.origins].filter((o) => !o.startsWith('http://127.0.0.1:') && o !== 'null');
  row('requests to other origins', String(others.length), '0', others.length === 0);
} finally {
  await pages.close();
  await server.kill();
  await upstream.close();
}
console.log(['', '| measured | figure | must hold | |', '|---|---|---|---|', ...rows.map((r) => `| ${r.join(' | ')} |`)].join('\n'));
