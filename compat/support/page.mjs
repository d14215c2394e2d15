// The page of a server, in a real browser, and what a person does there.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { startChromium } from './chromium.mjs';

// Where the files of the page come from, if not from the server: a change then needs no
// build.
const files = process.env.PAGE_FILES;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** sizes are those of a desktop and of a telephone. */
export const sizes = { wide: { width: 1360, height: 860 }, narrow: { width: 390, height: 844 } };

/**
 * startPages runs a browser. Every page that it opens is watched: what it writes to the
 * console as an error, what its policy refuses, and where it sends requests.
 */
export async function startPages({ zone = 'UTC' } = {}) {
  const browser = await startChromium({ zone });
  const seen = { errors: [], reports: [], origins: new Set() };
  const open = async (address, { size = sizes.wide, before } = {}) => {
    const page = await browser.page();
    page.setDefaultTimeout(8000);
    await page.setViewportSize(size);
    page.on('pageerror', (err) => seen.errors.push(String(err)));
    page.on('console', (m) => { if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) seen.errors.push(m.text()); });
    page.on('request', (r) => { const u = new URL(r.url()); if (u.protocol !== 'blob:') seen.origins.add(u.origin); });
    watch(page);
    await page.exposeFunction('reportPolicy', (text) => { seen.reports.push(text); });
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (e) => { window.reportPolicy(`${e.effectiveDirective} ${e.blockedURI} ${e.sample}`); });
    });
    if (files) await fromDisk(page);
    await before?.(page);
    await page.goto(address);
    return page;
  };
  return { open, seen, close: () => browser.close() };
}

/** watch counts the requests of a page, and knows which are under way: for settled. Streams do not end. */
export function watch(page) {
  page.asked = { begun: 0, open: new Set() };
  page.on('request', (r) => {
    if (/\/events(\?|$)/.test(r.url())) return;
    page.asked.begun++;
    page.asked.open.add(r);
  });
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (r) => page.asked.open.delete(r));
}

async function fromDisk(page) {
  const kinds = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
  const path = (address) => /\/assets\/[^/]+\/(.*)$/.exec(address)[1];
  await page.route(/\/assets\/[^/]+\/.+$/, (route) => {
    const name = path(route.request().url());
    return route.fulfill({ contentType: kinds[name.split('.').pop()], body: readFileSync(join(files, name)) });
  });
}

/** say types a text into the field, and sends it with Enter. */
export async function say(page, text) {
  const field = page.getByRole('textbox', { name: 'Say something, or ask' });
  await field.fill(text);
  await field.press('Enter');
}

/** answered waits until the newest answer is whole and one of the messages, and gives its text. */
export async function answered(page, count) {
  const whole = await page.waitForFunction((n) => {
    if (document.querySelector('.message:not([id]):not(.apart)')) return null;
    const answers = document.querySelectorAll('.message.assistant');
    const text = answers.length >= n ? answers[answers.length - 1].querySelector('.words')?.innerText : '';
    return text ? { text } : null; // looked at and read in one step: the page may draw it again at any time
  }, count);
  return (await whole.jsonValue()).text;
}

/**
 * violations is what axe finds on a page: the rules of WCAG 2.2 A and AA, and its best
 * practice.
 */
export async function violations(page) {
  // The page's policy lets no script in but its own, so axe comes through the debugger.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')}`);
  });
}

/**
 * settled waits until a page asks for nothing and draws nothing: until no request but the
 * streams is under way, and none has begun over a few frames.
 */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main h1'));
  const frames = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))); });
  for (let quiet = 0; quiet < 2;) {
    const before = page.asked.begun;
    await page.evaluate(frames);
    quiet = page.asked.open.size === 0 && page.asked.begun === before ? quiet + 1 : 0;
  }
}

/** go shows the place that an address names. */
export async function go(page, fragment) {
  await page.evaluate((to) => { location.hash = to; }, fragment);
  await settled(page);
}

/** reach goes to an element with Tab. */
export async function reach(page, element) {
  for (let i = 0; i < 60; i++) {
    if (await element.evaluate((el) => el === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the element cannot be reached with Tab');
}

/** press goes to an element with Tab, and presses it with Enter. */
export async function press(page, button) {
  await reach(page, button);
  await page.keyboard.press('Enter');
}
