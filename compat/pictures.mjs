// A picture of every screen of the page, in both themes, on a desktop and on a telephone,
// to be looked at before a change is handed over. `make pictures` runs it.
import { after, before, it } from 'node:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { settled, sizes } from './support/page.mjs';
import { startScene } from './support/scene.mjs';

const out = process.env.PICTURES ?? join(import.meta.dirname, '..', 'bin', 'pictures');
const only = process.env.ONLY;
let stage, server, pages, scene;

before(async () => {
  mkdirSync(out, { recursive: true });
  stage = await startScene({ model: 'scripted-large', waits: true });
  ({ server, pages, scene } = stage);
});
after(() => stage?.close());

const memory = `#/memory/key/${encodeURIComponent('repo:acme/cache')}`;
const click = (name) => (page) => page.getByRole('button', { name }).first().click();

// screens are where the pictures are taken, and what is done there first.
const screens = {
  sessions: ['#/sessions'],
  chat: ['#/sessions/cache'],
  why: ['#/sessions/cache', click('Why this answer')],
  new: ['#/sessions/new'],
  options: ['#/sessions/cache', click('Options')],
  approval: ['#/sessions/freeze'],
  facts: [`${memory}/facts`],
  fact: [`${memory}/facts`, (page) => page.locator('.facts a.row', { hasText: 'removed Redis' }).click()],
  timeline: [`${memory}/timeline`],
  shown: [`${memory}/shown`],
  try: [`${memory}/try`, async (page) => { await page.getByRole('searchbox').fill('Which database?'); await page.keyboard.press('Enter'); }],
  past: [`${memory}/past`],
  forget: [`${memory}/facts`, async (page) => {
    await click('Forget…')(page);
    await page.getByRole('textbox', { name: 'A name, a word, a sentence' }).fill('Redis');
    await click('Show what would go')(page);
  }],
  search: ['#/search?q=redis'],
  jobs: ['#/jobs'],
  job: () => [`#/jobs/${scene.job}`],
  jobform: ['#/jobs/new', (page) => page.getByRole('textbox', { name: 'Schedule' }).fill('every monday 9am')],
  runs: ['#/runs'],
  run: () => [`#/runs/${scene.run}`],
  cost: ['#/cost'],
  keys: ['#/keys'],
  audit: ['#/audit'],
  health: ['#/health'],
  settings: ['#/settings'],
  more: ['#/more'],
};

for (const [width, size] of Object.entries(sizes)) {
  for (const theme of ['light', 'dark']) {
    it(`takes pictures, ${width}, ${theme}`, async () => {
      const page = await pages.open(`${server.url}/`, { size, before: (p) => p.emulateMedia({ colorScheme: theme }) });
      for (const [name, screen] of Object.entries(screens)) {
        if (only && !only.split(',').includes(name)) continue;
        const [address, act] = typeof screen === 'function' ? screen() : screen;
        await page.goto('about:blank');
        await page.goto(`${server.url}/${address}`);
        await settled(page);
        await act?.(page).catch((err) => console.log(`${name}: ${err.message.split('\n')[0]}`));
        await settled(page);
        await page.screenshot({ path: join(out, `${name}-${width}-${theme}.png`) });
      }
      await page.close();
    });
  }
}
