// What the page shows of memory, and how it is changed there: reversals, reasons, the
// past, edits, forgetting, and the jobs that use it.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startHermes } from './support/hermes.mjs';
import { answered, go, press, reach, say, settled, violations } from './support/page.mjs';
import { startScene, until, waiting } from './support/scene.mjs';
import { screens } from './support/screens.mjs';

let stage, pages, server, scene;
const memory = `#/memory/key/${encodeURIComponent('repo:acme/cache')}`;

before(async () => {
  stage = await startScene({ zone: 'America/New_York' });
  ({ pages, server, scene } = stage);
});
after(() => stage?.close());

const row = (page, text) => page.locator('.facts a.row', { hasText: text });

describe('a memory', () => {
  it('is found in the list, whether of a key or of a session', async () => {
    const page = await pages.open(`${server.url}/#/memory`);
    await page.locator('a.row', { hasText: 'repo:acme/cache' }).waitFor();
    await page.locator('a.row', { hasText: 'groceries' }).click();
    await row(page, 'I do not eat fish').waitFor();
    await page.close();
  });

  it('leads from an answer to why, and from why to the message', async () => {
    const page = await pages.open(`${server.url}/#/sessions/cache`);
    await page.getByRole('button', { name: 'Why this answer' }).first().click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    await panel.getByText('Sent, of').waitFor();
    await panel.locator('.quotes > li', { hasText: 'We decided to use gRPC between the nodes.' }).first().getByRole('link', { name: /^message/ }).click();
    await page.locator('.message.target', { hasText: 'We decided to use gRPC between the nodes.' }).waitFor();
    await page.close();
  });

  it('shows both sides of a reversal under the answer', async () => {
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'We chose PostgreSQL because of JSON columns.');
    await answered(page, 1);
    await say(page, 'We switched from PostgreSQL to MySQL because of the licence.');
    await answered(page, 2);
    const changed = page.locator('.changed');
    await changed.locator('s', { hasText: 'We chose PostgreSQL' }).waitFor();
    assert.match(await changed.innerText(), /MySQL/);
    await page.close();
  });

  it('has every step of how a fact came to be', async () => {
    const page = await pages.open(`${server.url}/${memory}/facts`);
    await row(page, 'We switched from gRPC to REST').click();
    const chain = page.locator('.chain li');
    await chain.nth(1).waitFor();
    assert.match(await chain.nth(0).innerText(), /We decided to use gRPC between the nodes/);
    assert.match(await chain.nth(1).innerText(), /We switched from gRPC to REST[^]*Holds/);
    await page.close();
  });

  it('hides what came later, as known and as true on a date', async () => {
    const page = await pages.open(`${server.url}/${memory}/facts`);
    await row(page, 'removed Redis cache').waitFor();
    // All of it was recorded today, and told of the past.
    await page.getByLabel('Date', { exact: true }).fill('2026-08-20');
    await page.getByText('No fact matches.').waitFor();
    await page.getByLabel('What the date means').selectOption('valid');
    await row(page, 'We added Redis').waitFor();
    assert.equal(await row(page, 'removed Redis cache').count(), 0);
    await page.close();
  });

  it('answers as of a date beside the answer of now', async () => {
    const bare = await startHermes();
    const page = await pages.open(`${bare.url}/#/sessions/new`);
    for (const text of ['We chose PostgreSQL because of JSON columns.', 'We switched from PostgreSQL to MySQL because of the licence.']) {
      await bare.api('/v1/chat/completions', { method: 'POST', headers: { 'x-hermes-session-id': 'past' }, body: { model: 'hermes', messages: [{ role: 'user', content: text }] } });
    }
    await go(page, '#/memory/session/past/past');
    await page.getByLabel('A question').fill('Which database do we use?');
    await page.getByLabel('as of').fill('2026-09-01');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const sides = page.locator('.side-by .plain[aria-busy=false]');
    await sides.nth(1).waitFor();
    const [then, now] = await sides.allInnerTexts();
    assert.equal(then, 'I have not been told that.');
    assert.match(now, /MySQL/);
    await page.close();
    await bare.stop();
  });

  it('keeps the version before an edit, and takes the edit back on wish', async () => {
    const page = await pages.open(`${server.url}/${memory}/facts`);
    await row(page, 'I prefer tabs over spaces').click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('textbox', { name: /How it is now/ }).fill('I prefer spaces over tabs.');
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.locator('.chain li').nth(1).waitFor();
    await row(page, 'I prefer tabs over spaces').locator('s').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.chain li').nth(2).waitFor();
    await page.close();
  });
});

describe('by the keyboard alone', () => {
  const type = async (page, field, text) => { await reach(page, field); await page.keyboard.type(text); };

  it('both sides of a reversal are seen, how it came to be, and the message', async () => {
    const page = await pages.open(`${server.url}/`);
    await page.locator('a.row').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    const scope = page.locator('a.row[href^="#/memory/"]', { hasText: 'repo:acme/cache' }); // sessions name it, too
    await scope.waitFor();
    for (let i = 0; i < 9 && !(await scope.evaluate((el) => el === document.activeElement)); i++) await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await row(page, 'We switched from gRPC to REST').waitFor();
    await press(page, page.getByRole('link', { name: 'Timeline' }));
    const knot = page.locator('.facts .chain li', { has: page.locator('p.said', { hasText: 'We switched from gRPC to REST' }) });
    await knot.locator('s', { hasText: 'We decided to use gRPC' }).waitFor();
    await press(page, knot.getByRole('link', { name: 'How it came to be' }));
    const chain = page.getByRole('complementary', { name: 'Details' }).locator('.chain li');
    await chain.nth(1).waitFor();
    await press(page, chain.nth(0).getByRole('link', { name: /^message/ }));
    await page.locator('.message.target', { hasText: 'We decided to use gRPC between the nodes.' }).waitFor();
    await page.close();
  });

  it('a memory is seen as it was, and asked as it was', async () => {
    const page = await pages.open(`${server.url}/${memory}/facts`);
    await row(page, 'removed Redis cache').waitFor();
    await reach(page, page.getByLabel('What the date means'));
    await page.keyboard.press('ArrowDown');
    await type(page, page.getByLabel('Date', { exact: true }), '08202026');
    await row(page, 'removed Redis cache').waitFor({ state: 'detached' });
    await row(page, 'We added Redis').waitFor();
    await press(page, page.getByRole('link', { name: 'Ask the past' }));
    await page.getByLabel('A question').waitFor();
    await type(page, page.getByLabel('A question'), 'Where is the staging server now?');
    await type(page, page.getByLabel('as of'), '08202026');
    await press(page, page.getByRole('button', { name: 'Ask', exact: true }));
    await page.locator('.side-by .plain[aria-busy=false]').nth(1).waitFor();
    await page.close();
  });
});

// kept is all that the page has of a text: in the document, its fields, and its stores.
const kept = (page) => page.evaluate(async () => {
  const [fields, found] = [[...document.querySelectorAll('input, textarea')].map((el) => el.value), []];
  for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) found.push(url);
  return JSON.stringify([document.documentElement.outerHTML, location.href, fields, { ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), found]);
});

describe('forgetting', () => {
  it('shows what goes, wants the word, certifies, and leaves nothing on the page', async () => {
    const page = await pages.open(`${server.url}/${memory}/facts`);
    await page.evaluate(() => sessionStorage.setItem(`hermes:${location.pathname}:draft:x`, 'about Mira'));
    await page.getByRole('button', { name: 'Forget…' }).click();
    await page.getByRole('textbox', { name: 'A name, a word, a sentence' }).fill('Mira');
    await page.getByRole('button', { name: 'Show what would go' }).click();
    const modal = page.locator('dialog.modal');
    await modal.getByText('Mira owns the client library.').waitFor();
    const counted = Number(await modal.locator('tr', { hasText: 'sentences' }).locator('td').innerText());
    const confirm = modal.getByRole('button', { name: /^Forget \d/ });
    await modal.getByRole('textbox').fill('mirra');
    assert.ok(await confirm.isDisabled());
    await modal.getByRole('textbox').press('Enter');
    assert.equal((await server.api('/api/memory/forget', { method: 'POST', body: { about: 'Mira', dry_run: true } })).sentences_erased, counted);
    // Enter may follow the last letter before the next frame.
    const enabled = await modal.getByRole('textbox').evaluate((el) => {
      el.value = 'Mira';
      el.dispatchEvent(new Event('input'));
      return !el.form.querySelector('.danger').disabled;
    });
    assert.ok(enabled, 'the button follows the word at once');
    await confirm.click();
    await modal.getByText('Left: 0.').waitFor();
    assert.equal(Number(await modal.locator('tr', { hasText: 'sentences' }).locator('td').innerText()), counted);
    const head = modal.getByRole('heading', { name: 'Certificate of erasure' });
    assert.ok(await head.evaluate((el) => el.getBoundingClientRect().top > el.closest('dialog').getBoundingClientRect().top), 'its head is on view, and not its end');
    await page.emulateMedia({ media: 'print' });
    const printed = await modal.evaluate((el) => [document.querySelector('#page').checkVisibility(), el.scrollHeight > el.clientHeight + 1]);
    assert.deepEqual(printed, [false, false], 'it is printed whole, and alone');
    await page.emulateMedia({ media: 'screen' });
    const [download] = await Promise.all([page.waitForEvent('download'), modal.getByRole('button', { name: 'Save as JSON' }).click()]);
    const certificate = JSON.parse(readFileSync(await download.path(), 'utf8'));
    assert.equal(certificate.left, 0);
    assert.ok(certificate.at && certificate.audit_seq, 'the certificate says when, and its number in the audit');
    await modal.getByRole('button', { name: 'Close' }).click();
    await until(async () => !(await kept(page)).includes('Mira'));
    for (const place of [...Object.values(screens({ ...scene, run: 'none' })), '#/search?q=client']) {
      await go(page, place);
      await page.evaluate(() => { for (const el of document.querySelectorAll('details')) el.open = true; });
      await settled(page);
      assert.ok(!(await kept(page)).includes('Mira'), place);
    }
    await page.close();
  });
});

describe('a forgetting while a call waits for a person', () => {
  const begin = async (name) => {
    await server.api('/api/sessions/heron/messages', { method: 'POST', body: { messages: [{ role: 'user', content: `The heron at the pond is ${name}.` }] } });
    const run = await waiting(server, 'pond');
    const page = await pages.open(`${server.url}/#/memory/session/heron/facts`);
    return { page, run, name, modal: page.locator('dialog.modal') };
  };
  const confirmed = async ({ page, modal, name }) => {
    await page.getByRole('button', { name: 'Forget…' }).click();
    await modal.getByRole('textbox').fill(name);
    await modal.getByRole('button', { name: 'Show what would go' }).click();
    await modal.getByText('This cannot be undone').waitFor();
    await modal.getByRole('textbox').fill(name);
    await modal.getByRole('textbox').press('Enter');
  };

  it('says what it waits for, and ends once that turn is stopped', async () => {
    const at = await begin('Ottoline');
    await confirmed(at);
    const waits = at.modal.getByRole('region', { name: 'What it waits for' });
    await waits.getByText('It waits for 1 turn under way').waitFor();
    assert.equal(await waits.getByRole('link', { name: 'The turn in pond' }).getAttribute('href'), `#/runs/${at.run}`);
    await waits.getByRole('button', { name: 'Deny' }).waitFor();
    assert.deepEqual(await violations(at.page), []);
    await waits.getByRole('button', { name: 'Stop this turn' }).click();
    await at.modal.getByText('Left: 0.').waitFor();
    await at.page.close();
  });

  it('goes on when its dialog is closed to decide, and shows the certificate', async () => {
    const at = await begin('Peregrin');
    await confirmed(at);
    await at.modal.getByRole('link', { name: 'The turn in pond' }).click();
    await at.page.getByRole('button', { name: 'Deny' }).first().click();
    await at.modal.getByText('Left: 0.').waitFor();
    await at.page.close();
  });

  it('of one fact says it, too', async () => {
    const at = await begin('Quentin');
    await waiting(server, 'heron');
    const [fact] = (await server.api('/api/memory?session_id=heron&q=Quentin')).data;
    await go(at.page, `#/memory/session/heron/facts?fact=${fact.id}`);
    await at.page.getByRole('button', { name: 'Forget…' }).last().click();
    await at.modal.getByRole('textbox').fill('forget');
    await at.modal.getByRole('textbox').press('Enter');
    await at.modal.getByText('It waits for 1 turn under way').waitFor();
    await at.modal.getByRole('button', { name: 'Stop this turn' }).click();
    await at.page.getByText('the words are erased').waitFor();
    await server.api(`/v1/runs/${at.run}/stop`, { method: 'POST' });
    await at.page.close();
  });
});

describe('jobs', () => {
  it('show the times that the server will keep, in both zones, over a change of clocks', async () => {
    const page = await pages.open(`${server.url}/#/jobs/new`);
    const schedule = page.getByRole('textbox', { name: 'Schedule' });
    await schedule.fill('30 2 * * 0');
    await page.getByRole('textbox', { name: 'Zone' }).fill('Europe/Berlin');
    await page.locator('#schedule-says tbody tr').nth(9).waitFor();
    await page.getByRole('columnheader', { name: 'America/New_York, your zone' }).waitFor();
    const { next } = await server.api(`/api/jobs/preview?${new URLSearchParams({ schedule: '30 2 * * 0', timezone: 'Europe/Berlin', count: 10 })}`);
    const shown = await page.locator('#schedule-says tbody tr').evaluateAll((rows) => rows.map((r) => [...r.cells].map((c) => c.innerText)));
    const as = (t, timeZone) => new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(t));
    assert.deepEqual(shown, next.map((t) => [as(t, 'Europe/Berlin'), as(t, 'America/New_York')]));
    await page.close();
  });

  it('show their next times once they are saved', async () => {
    const page = await pages.open(`${server.url}/#/jobs/new`);
    for (const [name, text] of [['Name', 'Fresh'], ['Schedule', 'every weekday 9am'], ['Prompt', 'Hello?']]) await page.getByRole('textbox', { name }).fill(text);
    await page.getByRole('button', { name: 'Save the job' }).click();
    await page.getByRole('heading', { name: 'Fresh' }).waitFor();
    await page.getByRole('group', { name: 'Next times' }).locator('tbody tr').nth(9).waitFor();
    await page.close();
  });

  it('mark where a schedule is wrong', async () => {
    const page = await pages.open(`${server.url}/#/jobs/new`);
    await page.getByRole('textbox', { name: 'Schedule' }).fill('0 25 * * *');
    const wrong = page.locator('#schedule-says u');
    await wrong.waitFor();
    assert.equal(await wrong.innerText(), '2');
    await page.close();
  });

  it('run now, and are in the ledger', async () => {
    const page = await pages.open(`${server.url}/#/jobs/${scene.job}`);
    const rows = page.getByRole('group', { name: 'Ledger' }).locator('tbody tr');
    await rows.first().waitFor();
    const before = await rows.count();
    await page.getByRole('button', { name: 'Run now' }).click();
    await rows.nth(before).waitFor();
    await rows.first().getByText('completed').waitFor();
    await page.close();
  });
});
