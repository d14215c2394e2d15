// Whom every screen of the page serves: people with a screen reader, with a small window, with the
// keyboard alone, and those who are too late to decide.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startHermes } from './support/hermes.mjs';
import { answered, go, press, reach, settled, sizes, violations } from './support/page.mjs';
import { reply, startScene, until, waiting } from './support/scene.mjs';
import { screens } from './support/screens.mjs';

let stage, pages, server, scene;

before(async () => {
  let said; // in place of the scene's answers
  stage = await startScene({ answers: (body) => (said ? { text: said } : reply(body)), waits: true });
  stage.say = (text) => { said = text; };
  ({ pages, server, scene } = stage);
});
after(() => stage?.close());

describe('accessibility', () => {
  for (const [width, theme] of [['wide', 'light'], ['narrow', 'dark']]) {
    it(`axe finds nothing on any screen, ${width}, ${theme}`, async () => {
      const page = await pages.open(`${server.url}/`, { size: sizes[width], before: (p) => p.emulateMedia({ colorScheme: theme }) });
      const found = {};
      for (const [name, address] of Object.entries(screens(scene))) {
        await go(page, address);
        const bad = await violations(page);
        if (bad.length > 0) found[name] = bad;
      }
      assert.deepEqual(found, {});
      await page.close();
    });
  }

  it('each row of a table has as many cells as the table has heads', async () => {
    const page = await pages.open(`${server.url}/`);
    for (const address of ['#/jobs/failed', `#/jobs/${scene.job}`, '#/cost', '#/audit', '#/settings']) {
      await go(page, address);
      assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.grid tbody tr')]
        .filter((row) => row.cells.length !== row.closest('table').tHead.rows[0].cells.length).map((row) => row.innerText)), [], address);
    }
    await page.close();
  });

  it('axe finds nothing on dialogs and panels, in the other themes', async () => {
    for (const [width, theme] of [['wide', 'dark'], ['narrow', 'light']]) {
      const page = await pages.open(`${server.url}/#/sessions/cache`, { size: sizes[width], before: (p) => p.emulateMedia({ colorScheme: theme }) });
      await page.getByRole('button', { name: 'Why this answer' }).first().click();
      await page.getByText('Sent, of').waitFor();
      assert.deepEqual(await violations(page), []);
      await page.getByRole('button', { name: 'Close' }).click();
      await page.locator('.panel').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.locator('[role=option]').first().waitFor();
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Escape');
      await page.locator('.head .menu summary').click();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByText('To confirm, type').waitFor();
      assert.deepEqual(await violations(page), []);
      await page.close();
    }
  });

  // A desktop of 1280 pixels at 200 % has 640.
  for (const width of [320, 640]) it(`nothing scrolls sideways at ${width} pixels, and motion can be reduced`, async () => {
    const page = await pages.open(`${server.url}/`, { size: { width, height: 430 }, before: (p) => p.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' }) });
    for (const [name, address] of Object.entries(screens(scene))) {
      await go(page, address);
      const over = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll('.scroll, main')].filter((el) => el.scrollWidth > el.clientWidth + 1 || el.getBoundingClientRect().right > innerWidth + 1).map((el) => `${el.className || el.tagName} ${el.scrollWidth} > ${el.clientWidth}`));
      assert.deepEqual(over, [], name);
    }
    await page.close();
  });
});

describe('a small window', () => {
  // hit reports whether an element can be pressed where it is scrolled to.
  const hit = (element) => element.evaluate((el) => {
    el.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = el.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    return at === el || el.contains(at);
  });

  for (const [width, height] of [[320, 256], [568, 320], [1280, 360]]) {
    it(`has the whole of a session: ${width} by ${height}`, async () => {
      const page = await pages.open(`${server.url}/#/sessions/cache`, { size: { width, height } });
      await page.locator('.message').last().waitFor();
      await page.locator('.head .menu summary').click();
      const items = await page.locator('.menu button').all();
      for (const item of items) assert.ok(await hit(item), `${await item.innerText()} cannot be pressed`);
      await page.locator('.head .menu summary').click();
      await page.getByRole('button', { name: 'Options' }).click();
      for (const part of [page.getByLabel('As of'), page.getByRole('button', { name: 'Send' })]) assert.ok(await hit(part));
      assert.ok(await page.locator('.talk').evaluate((el) => el.clientHeight > 120));
      await page.close();
    });
  }

  it('scrolls a table, and breaks no word in it', async () => {
    const words = ['Feature', 'PostgreSQL', 'external-consistency', 'repeatable-read', 'CockroachDB', 'Transactions'];
    const line = (cells) => `| ${cells.join(' | ')} |`;
    const content = [line(words), line(words.map(() => '---')), line(words)].join('\n');
    await server.api('/api/sessions/table/messages', { method: 'POST', body: { messages: [{ role: 'user', content: 'Compare.' }, { role: 'assistant', content }] } });
    const page = await pages.open(`${server.url}/#/sessions/table`, { size: sizes.narrow });
    const table = page.locator('.words .table');
    await table.waitFor();
    const [lines, more] = await table.evaluate((el) => [[...el.querySelectorAll('td')].map((td) => td.clientHeight), el.scrollWidth > el.clientWidth]);
    assert.ok(more && lines.every((high) => high < 60), `${more}, ${lines}`);
    await page.close();
  });
});

describe('fields', () => {
  it('are where they belong, and as wide as what is said in them', async () => {
    const page = await pages.open(`${server.url}/#/sessions`);
    await page.getByRole('button', { name: 'Filter' }).click();
    const beside = await page.locator('section.list').evaluate((el) => [...el.querySelectorAll('.filters :is(input, select)')].filter((field) => field.getBoundingClientRect().right > el.getBoundingClientRect().right).length);
    assert.equal(beside, 0);
    await page.keyboard.press('Control+k');
    const [field, list] = await page.locator('dialog').evaluate((el) => ['input', 'ul'].map((part) => el.querySelector(part).getBoundingClientRect()));
    assert.ok(field.width >= list.width && list.top - field.bottom > 4, JSON.stringify([field, list]));
    await page.close();
  });
});

describe('a telephone', () => {
  it('shows the id of a run, whole words in tables, and words of a plot that can be read', async () => {
    const page = await pages.open(`${server.url}/`, { size: sizes.narrow });
    await go(page, `#/runs/${scene.run}`);
    const cut = await page.locator('.head').evaluate((el) => [...el.children].filter((part) => part.scrollHeight > part.clientHeight + 1).map((part) => part.innerText));
    assert.deepEqual(cut, []);
    assert.match(await page.locator('.head').innerText(), new RegExp(scene.run));
    await go(page, '#/audit');
    const by = page.getByRole('cell', { name: 'development', exact: true }).first();
    const lines = await by.evaluate((el) => { const range = document.createRange(); range.selectNodeContents(el); return range.getClientRects().length; });
    assert.equal(lines, 1);
    await go(page, '#/cost');
    const words = page.locator('.plot text');
    await words.first().waitFor();
    for (const high of await words.evaluateAll((all) => all.map((el) => el.getBoundingClientRect().height))) assert.ok(high >= 10, `a word is ${high} pixels high`);
    // All turns of the scene are of one day: the line of the whole history is seen beside its bar.
    const [line, bar] = await page.locator('.plot').evaluate((el) => [el.querySelector('.naive'), el.querySelector('rect')].map((part) => part.getBoundingClientRect().width));
    assert.ok(line > 2 * bar, `${line}, ${bar}`);
    await page.close();
  });
});

describe('texts that are wide', () => {
  const line = (cell) => `| ${Array.from({ length: 14 }, (_, i) => `${cell}${i}`).join(' | ')} |`;
  const wide = [line('column'), line('---').replace(/\d+/g, ''), line('external-consistency'), '', 'w'.repeat(300)].join('\n');

  // over are the parts that are wider than the window, or that scroll sideways though they are no table and no code.
  const over = (page) => page.evaluate(() => [document.documentElement, ...document.querySelectorAll('main, .scroll, .panel, .modal, .head')]
    .filter((el) => el.scrollWidth > el.clientWidth + 1 && el.clientWidth > 0 || el.getBoundingClientRect().right > innerWidth + 1)
    .map((el) => `${el.tagName}.${el.className} ${el.scrollWidth} > ${el.clientWidth}`));

  it('make no screen scroll sideways', async () => {
    const id = 'wide'.repeat(25);
    const api = (path, body) => server.api(path, { method: 'POST', body });
    await api(`/api/sessions/${id}/messages`, { messages: [{ role: 'user', content: wide }, { role: 'assistant', content: wide }, { role: 'user', content: `We chose ${'w'.repeat(200)} because of ${'x'.repeat(200)}.` }] });
    await api(`/api/memory?session_id=${id}`, { statement: wide, kind: 'decision' });
    await api(`/api/memory?session_id=${id}`, { statement: `We decided to keep this table: ${wide}`, kind: 'decision' });
    stage.say(wide);
    const { job } = await api('/api/jobs', { name: 'n'.repeat(60), schedule: 'every monday 9am', prompt: wide, session_id: id });
    await api(`/api/jobs/${job.id}/run`, {});
    await until(async () => (await server.api(`/api/jobs/${job.id}/runs`)).data[0]?.output);
    const run = await api('/v1/runs', { input: 'Say it again.', session_id: id });
    await until(async () => (await server.api(`/v1/runs/${run.run_id}`)).finished_at);
    const [fact] = (await server.api(`/api/memory?session_id=${id}&kind=decision`)).data;
    const receipt = (await server.api(`/api/sessions/${id}/messages?limit=50`)).data.findLast((m) => m.receipt_id).receipt_id;
    const page = await pages.open(`${server.url}/`, { size: sizes.narrow });
    for (const address of ['sessions', `sessions/${id}`, `sessions/${id}?why=${receipt}`, 'memory', `memory/session/${id}/facts`, `memory/session/${id}/facts?fact=${fact.id}`,
      `memory/session/${id}/timeline`, `memory/session/${id}/shown`, `memory/session/${id}/try`, 'jobs', `jobs/${job.id}`, `jobs/${job.id}/edit`, 'runs', `runs/${run.run_id}`,
      'search?q=external', 'search?q=because', 'audit', 'health']) {
      await go(page, `#/${address}`);
      await page.evaluate(() => { for (const el of document.querySelectorAll('main details:not(.menu), .panel details')) el.open = true; });
      if (address.endsWith('/try')) {
        await page.getByRole('searchbox', { name: 'A question' }).fill('external consistency');
        await page.keyboard.press('Enter');
        await page.locator('.quotes li').first().waitFor();
      }
      assert.deepEqual(await over(page), [], address);
    }
    await go(page, `#/memory/session/${id}/facts`);
    await page.getByRole('button', { name: 'Forget…' }).click();
    await page.getByLabel('A name, a word').fill('external-consistency3');
    await page.keyboard.press('Enter');
    await page.getByText('What would go, for example').waitFor();
    assert.deepEqual(await over(page), [], 'forget');
    stage.say('');
    await page.close();
  });
});

describe('by the keyboard alone', () => {
  it('a call is approved and another denied', async () => {
    const page = await pages.open(`${server.url}/`);
    await page.locator('.links').waitFor();
    const other = await waiting(server, 'freeze-2');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    for (const [id, name] of [[scene.run, 'Approve'], [other, 'Deny']]) {
      await go(page, `#/runs/${id}`);
      const button = page.locator('main .approval').getByRole('button', { name });
      await button.waitFor();
      await page.locator('main .message').getByText('Waiting for you').waitFor(); // and not: Answering…
      await press(page, button);
      await until(async () => (await server.api(`/v1/runs/${id}`)).finished_at !== null);
      await page.locator('.pairs').getByText('completed').waitFor();
    }
    assert.equal(await page.locator('main .tool summary').innerText(), 'memory: denied');
    const said = (await server.api('/v1/runs/' + other)).output;
    assert.ok(said);
    await page.close();
  });

  it('something is told and asked for, and why leads to the message', async () => {
    const bare = await startHermes();
    const page = await pages.open(`${bare.url}/`);
    await page.getByText('Development key').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Say something, or ask' }).waitFor();
    await reach(page, page.getByRole('textbox', { name: 'Say something, or ask' }));
    for (const [i, text] of ['We chose PostgreSQL because of JSON columns.', 'Which database did we choose?'].entries()) {
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await answered(page, i + 1);
    }
    await page.keyboard.press('Escape'); // leaves the field
    await page.keyboard.press('w');
    const panel = page.getByRole('complementary', { name: 'Details' });
    const link = panel.getByRole('link', { name: /^message/ }).first();
    await link.waitFor();
    await press(page, link);
    await page.locator('.message.target', { hasText: 'We chose PostgreSQL' }).waitFor();
    await page.close();
    await bare.stop();
  });

  it('a session is opened, and why, and closed again', async () => {
    const page = await pages.open(`${server.url}/`);
    await page.locator('a.row').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Distributed');
    await page.getByRole('option', { name: /Distributed cache/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.message.assistant').last().waitFor();
    await page.keyboard.press('w');
    await page.getByRole('complementary', { name: 'Details' }).getByText('Sent, of').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: 'Details' }).waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.close();
  });
});

describe('a call that nobody decides', () => {
  it('says that its time is over', async () => {
    const hasty = await startHermes({ env: { ...stage.env, HERMES_APPROVAL_TIMEOUT: '2s' } });
    const page = await pages.open(`${hasty.url}/#/runs`); // first: a page may take longer to open than the call waits
    await settled(page);
    const id = await waiting(hasty);
    await page.getByRole('button', { name: 'Approve' }).first().waitFor();
    await page.evaluate((to) => { location.hash = to; }, `#/runs/${id}`);
    await page.locator('main').getByText(/counts as denied|denied, /).first().waitFor();
    await until(async () => (await page.getByRole('button', { name: 'Approve' }).count()) === 0);
    await page.locator('.pairs').getByText('completed').waitFor();
    await page.close();
    await hasty.kill();
  });
});

describe('the whole of it', () => {
  it('asks no other origin, breaks no policy, and writes no error', () => {
    assert.deepEqual(pages.seen.reports, []);
    assert.deepEqual(pages.seen.errors, []);
    assert.deepEqual([...pages.seen.origins].filter((o) => !o.startsWith('http://127.0.0.1:')), []);
  });
});
