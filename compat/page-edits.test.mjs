// Two windows that change the same thing, and what happens to a window when its sign-in ends.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startHermes } from './support/hermes.mjs';
import { settled, startPages } from './support/page.mjs';

let pages;
before(async () => { pages = await startPages(); });
after(() => pages?.close());

describe('two windows', () => {
  let server;
  before(async () => { server = await startHermes(); });
  after(() => server?.stop());

  it('save one job: the second is told what the first has changed, and may save then', async () => {
    const { job } = await server.api('/api/jobs', { method: 'POST', body: { name: 'report', schedule: 'every monday 9am', prompt: 'What is new?', deliver: 'local' } });
    const [one, two] = await Promise.all([1, 2].map(() => pages.open(`${server.url}/#/jobs/${job.id}/edit`)));
    const field = (page, name) => page.getByRole('textbox', { name });
    const save = (page) => page.getByRole('button', { name: 'Save the job' }).click();
    for (const page of [one, two]) await field(page, 'Prompt').waitFor();
    await field(one, 'Prompt').fill('What is new since Monday?');
    await field(one, 'Schedule').fill('every tuesday 9am');
    await field(two, 'Prompt').fill('What is old?');
    await save(one);
    await one.getByRole('heading', { name: 'report', exact: true }).waitFor();
    await save(two);
    await two.locator('.trouble').getByText('There, the prompt is now: What is new since Monday?').waitFor();
    assert.equal(await field(two, 'Prompt').inputValue(), 'What is old?');
    assert.equal(await field(two, 'Schedule').inputValue(), 'every tuesday 9am');
    assert.equal((await server.api(`/api/jobs/${job.id}`)).job.prompt, 'What is new since Monday?');
    await two.waitForTimeout(600); // the second click of a double click means nothing of its own
    await save(two);
    await two.getByRole('heading', { name: 'report', exact: true }).waitFor();
    const now = (await server.api(`/api/jobs/${job.id}`)).job;
    assert.deepEqual([now.prompt, now.schedule], ['What is old?', 'every tuesday 9am']);
    await Promise.all([one.close(), two.close()]);
  });

  it('save one fact: the second is told, and keeps what was typed', async () => {
    await server.api('/api/sessions/seat/messages', { method: 'POST', body: { messages: [{ role: 'user', content: 'My seat is 12A.' }] } });
    const [fact] = (await server.api('/api/memory?session_id=seat')).data;
    const [one, two] = await Promise.all([1, 2].map(() => pages.open(`${server.url}/#/memory/session/seat/facts?fact=${fact.id}`)));
    for (const page of [one, two]) {
      await page.getByRole('button', { name: 'Edit…' }).click();
      await page.locator('dialog textarea').fill(page === one ? 'My seat is 14C.' : 'My seat is 1F.');
    }
    await one.getByRole('button', { name: 'Save as a new version' }).click();
    await one.getByText('A new version is remembered.').waitFor();
    await two.getByRole('button', { name: 'Save as a new version' }).click();
    await two.locator('dialog .trouble').getByText('The fact no longer holds').waitFor();
    assert.equal(await two.locator('dialog textarea').inputValue(), 'My seat is 1F.');
    await Promise.all([one.close(), two.close()]);
  });
});

describe('the first key', () => {
  it('is shown until it is taken down, though the sign-in without a key has ended, and opens what is there', async () => {
    const server = await startHermes();
    await server.api('/api/sessions/before/messages', { method: 'POST', body: { messages: [{ role: 'user', content: 'This was said before there was a key.' }] } });
    const page = await pages.open(`${server.url}/#/keys`);
    const other = await pages.open(`${server.url}/#/sessions`);
    for (const each of [page, other]) await settled(each);
    await page.waitForTimeout(300); // until the streams of changes stand
    await page.getByRole('button', { name: 'New key…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByLabel('keys, audit, health').check();
    await page.getByRole('button', { name: 'Make the key' }).click();
    const secret = await page.locator('dialog .block').innerText();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor(); // its stream of changes has ended
    // Neither Esc nor the way back take what is shown only now.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await page.evaluate(() => { location.hash = '#/settings'; });
    await page.getByRole('heading', { name: 'Settings' }).waitFor({ state: 'attached' });
    assert.equal(await page.locator('dialog .block').innerText(), secret);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByLabel('Key', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as laptop').waitFor();
    // Who makes a key for what is there does not lose it.
    await page.evaluate(() => { location.hash = '#/sessions'; });
    await page.locator('a.row', { hasText: 'This was said before' }).waitFor();
    await Promise.all([page.close(), other.close()]);
    await server.stop();
  });
});

describe('the whole of it', () => {
  it('writes no error', () => assert.deepEqual(pages.seen.errors, []));
});
