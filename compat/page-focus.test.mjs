// Where the focus is after something was done: never nowhere. And what Esc and a click
// elsewhere close.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { startHermes } from './support/hermes.mjs';
import { go, press, say, settled } from './support/page.mjs';
import { reply, startScene } from './support/scene.mjs';

let stage, pages, server, scene;

before(async () => {
  const hangs = (body) => (/Wait for me/.test(JSON.stringify(body.messages.at(-1))) ? { chunks: ['A part. '], hangs: true } : reply(body));
  stage = await startScene({ answers: hangs, waits: true });
  ({ pages, server, scene } = stage);
});
after(() => stage?.close());

const write = (id, ...texts) => server.api(`/api/sessions/${id}/messages`, { method: 'POST', body: { messages: texts.map((content) => ({ role: 'user', content })) } });
const field = (page) => page.getByRole('textbox', { name: 'Say something, or ask' });
const actions = (page) => page.locator('.menu summary');

// has waits until an element has the focus. The element is looked up each time: a screen that is drawn
// again has another one in its place.
const has = async (element) => {
  const end = Date.now() + 3000;
  while (!(await element.evaluate((el) => el === document.activeElement))) {
    if (Date.now() > end) {
      assert.fail(`the focus is in ${await element.page().evaluate(() => document.activeElement.outerHTML.slice(0, 200))}`);
    }
    await setTimeout(20);
  }
};

// act does what the menu of a session offers, with the keyboard.
async function act(page, name) {
  await actions(page).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name, exact: true }).press('Enter');
}

describe('the focus', () => {
  it('goes from the menu of a session back to it', async () => {
    await write('menu', 'One.', 'Two.');
    const page = await pages.open(`${server.url}/#/sessions/menu`);
    await settled(page);
    for (const name of ['Go to a message or a day…', 'Rename…', 'Delete…']) {
      await act(page, name);
      await page.locator('dialog[open]').waitFor();
      await page.keyboard.press('Escape');
      await has(actions(page));
    }
    await page.waitForTimeout(500); // the second click of a double click means nothing of its own
    await act(page, 'Rename…');
    await page.locator('dialog input').fill('A menu');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed.').waitFor();
    await has(actions(page));
    for (const name of ['End', 'Undo the last exchange', 'Show what was taken back']) {
      await act(page, name);
      await settled(page);
      await has(actions(page));
    }
    await page.close();
  });

  it('stays near when a button goes that was pressed: Approve, Close', async () => {
    const page = await pages.open(`${server.url}/#/runs/${scene.run}`);
    await press(page, page.getByRole('button', { name: 'Approve' }).first());
    await page.getByText('was approved').waitFor();
    await has(page.locator('main h1'));
    await go(page, '#/sessions/cache');
    await page.getByRole('button', { name: 'Why this answer' }).last().press('Enter');
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).press('Enter');
    await has(page.getByRole('button', { name: 'Why this answer' }).last());
    await page.close();
  });

  it('is in the field after Stop, and where a new session begins', async () => {
    const page = await pages.open(`${server.url}/#/sessions`);
    await settled(page);
    await page.keyboard.press('n');
    await has(field(page));
    await say(page, 'Wait for me.');
    await page.getByText('A part.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.waitForFunction(() => document.querySelector('p.unseen[role=status]').innerText === 'Stopped.');
    await has(field(page));
    await page.close();
  });

  it('stays with a fact that is edited, added, refused and forgotten', async () => {
    await write('focus', 'My seat is 12A.', 'My car is red.');
    const page = await pages.open(`${server.url}/#/memory/session/focus/facts`);
    await page.locator('.facts a.row', { hasText: 'My seat is 12A' }).press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Edit…' }).press('Enter');
    await page.locator('dialog textarea').fill('My seat is 14C.');
    await page.getByRole('button', { name: 'Save as a new version' }).press('Enter');
    await page.getByText('A new version is remembered.').waitFor();
    await has(panel.locator('h2'));
    await panel.getByRole('button', { name: 'Forget…' }).press('Enter');
    await page.locator('dialog input').fill('forget');
    await page.keyboard.press('Enter');
    await page.getByText(/forgotten, and the words/).waitFor();
    await has(page.locator('.facts a.row', { hasText: 'My seat is 12A' })); // which opened the panel
    await page.getByRole('button', { name: 'Add…' }).press('Enter');
    await page.locator('dialog textarea').fill('My password is hunter2secret!');
    await page.getByRole('button', { name: 'Remember' }).press('Enter');
    await page.locator('dialog .trouble').waitFor();
    await has(page.locator('dialog textarea'));
    await page.keyboard.press('Escape');
    await has(page.getByRole('button', { name: 'Add…' }));
    await page.getByRole('button', { name: 'Forget…' }).press('Enter');
    await page.getByLabel('A name, a word').fill('car');
    await page.keyboard.press('Enter');
    await page.getByText('To confirm, type').waitFor();
    await has(page.locator('dialog input'));
    await page.close();
  });

  it('is in the heading after a job is saved, and after a sign-in', async (t) => {
    const page = await pages.open(`${server.url}/#/jobs/new`);
    await page.getByLabel('Name').fill('Focus');
    await page.getByLabel('Schedule').fill('every weekday 9am');
    await page.getByLabel('Prompt').fill('Hello?');
    await page.getByRole('button', { name: 'Save the job' }).press('Enter');
    await page.getByRole('heading', { name: 'Focus' }).waitFor();
    await has(page.locator('main h1'));
    await page.close();
    const other = await startHermes();
    t.after(() => other.stop());
    const { key } = await other.api('/api/keys', { method: 'POST', body: { name: 'laptop', scopes: ['chat', 'sessions:read', 'admin'] } });
    const guest = await pages.open(`${other.url}/`);
    await guest.getByLabel('Key', { exact: true }).fill(key);
    await guest.keyboard.press('Enter');
    await guest.getByText('Signed in as laptop').waitFor();
    await has(guest.locator('main h1'));
    await guest.close();
  });

  it('is where the new screen puts it when the address changes under a dialog', async () => {
    await write('under', 'One.');
    await write('dialogs', 'Two.');
    const page = await pages.open(`${server.url}/#/sessions/under`);
    await settled(page);
    await go(page, '#/sessions/dialogs');
    const leave = async () => {
      await page.locator('dialog[open]').waitFor();
      await page.goBack();
      await settled(page);
      assert.equal(await page.locator('dialog').count(), 0);
      await has(page.locator('main h1'));
    };
    await act(page, 'Rename…');
    await leave();
    assert.match(await page.evaluate(() => location.hash), /#.sessions./);
    await go(page, '#/memory');
    await page.getByRole('button', { name: 'Forget…' }).press('Enter');
    await leave();
    assert.match(await page.evaluate(() => location.hash), /#.sessions./);
    // Within one place, it goes back to what opened the dialog.
    await go(page, '#/memory/session/under/facts');
    await go(page, '#/memory/session/under/timeline');
    await page.getByRole('button', { name: 'Add…' }).press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.goBack();
    await settled(page);
    assert.equal(await page.locator('dialog').count(), 0);
    await has(page.getByRole('button', { name: 'Add…' }));
    await page.close();
  });

  it('does not go back into a field that was left, when a dialog closes', async () => {
    const page = await pages.open(`${server.url}/#/sessions/cache`);
    await settled(page);
    await field(page).focus();
    await page.keyboard.press('Escape');
    await has(page.locator('body'));
    await page.keyboard.press('e');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await has(page.locator('main h1')); // where letters are keys, and no text
    // The same when the second key comes before anything else has run.
    await field(page).focus();
    await page.evaluate(() => ['Escape', 'e'].forEach((key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))));
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await has(page.locator('main h1'));
    await page.close();
  });

  it('is nowhere if somebody wants that', async () => {
    const page = await pages.open(`${server.url}/#/sessions/cache`);
    await settled(page);
    await page.waitForTimeout(300); // until the stream of changes stands
    await field(page).press('Escape');
    await write('elsewhere', 'This draws the list anew.');
    await page.locator('a.row', { hasText: 'This draws the list anew.' }).waitFor();
    await has(page.locator('body'));
    await page.close();
  });
});

describe('the menu of a session', () => {
  it('is closed by Esc, by a click elsewhere, and by Tab out of it', async () => {
    const page = await pages.open(`${server.url}/#/sessions/cache`);
    await settled(page);
    const open = () => page.locator('.menu[open]').waitFor();
    const closed = () => page.waitForFunction(() => !document.querySelector('.menu[open]'));
    await actions(page).click();
    await open();
    await page.keyboard.press('Escape');
    await closed();
    await has(actions(page));
    await actions(page).click();
    await open();
    await page.getByRole('button', { name: 'Options' }).click();
    await closed();
    await actions(page).press('Enter');
    await open();
    await page.keyboard.press('Shift+Tab');
    await closed();
    await page.close();
  });
});

describe('the whole of it', () => {
  it('writes no error', () => assert.deepEqual(pages.seen.errors, []));
});
