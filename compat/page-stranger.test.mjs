// What a stranger does with the page: the same click twice, addresses by hand, two windows on
// one thing, a clock that is wrong, and something before the server that speaks for it.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startHermes } from './support/hermes.mjs';
import { go, say, settled, sizes } from './support/page.mjs';
import { startScene, until } from './support/scene.mjs';

let stage, pages, server, scene;

before(async () => {
  stage = await startScene({ zone: 'America/St_Johns', waits: true });
  ({ pages, server, scene } = stage);
});
after(() => stage?.close());

const open = (address, options) => pages.open(`${server.url}/${address}`, options);

// write stores what a person has said, without a turn.
const write = (id, ...texts) => server.api(`/api/sessions/${encodeURIComponent(id)}/messages`, { method: 'POST', body: { messages: texts.map((content) => ({ role: 'user', content })) } });

// hold keeps answers to a path back until it is told to let them go.
async function hold(page, path, answer) {
  let release;
  const wait = new Promise((resolve) => { release = resolve; });
  await page.route(path, async (route) => { await wait; await (answer ? route.fulfill(answer) : route.continue()); });
  return release;
}

const trouble = { status: 500, contentType: 'application/json', body: JSON.stringify({ error: { message: 'Something went wrong.', code: 'internal_error' } }) };
const html = (status, headers = {}) => ({ status, headers, contentType: 'text/html', body: '<!doctype html><title>proxy</title><h1>Please sign in</h1>' });

describe('the same click twice', () => {
  it('acts once: a job, a copy, the next page of a list', async () => {
    const page = await open(`#/jobs/${scene.job}`);
    const runs = async () => (await server.api(`/api/jobs/${scene.job}/runs`)).data.length;
    const ran = await runs();
    await page.getByRole('button', { name: 'Run now' }).dblclick();
    await page.getByText('It runs now').waitFor();
    await settled(page);
    assert.equal(await runs(), ran + 1);
    const sessions = async () => (await server.api('/api/sessions?limit=200')).data.length;
    await write('once', 'Copy this.');
    const were = await sessions();
    await go(page, '#/sessions/once');
    await page.locator('.message').hover();
    await page.getByRole('button', { name: 'Fork from here' }).dblclick();
    await page.getByText('This is a copy').waitFor();
    await settled(page);
    assert.equal(await sessions(), were + 1);
    await write('many', ...Array.from({ length: 130 }, (_, i) => `We decided to use tool-${i} for task-${i}.`));
    await go(page, '#/memory/session/many/facts');
    await page.getByRole('button', { name: 'More' }).dblclick();
    await page.getByRole('button', { name: 'More' }).waitFor({ state: 'detached' });
    const shown = await page.locator('.facts a.row').evaluateAll((rows) => rows.map((r) => r.href));
    assert.ok(shown.length > 100, `${shown.length} facts are shown`);
    assert.equal(new Set(shown).size, shown.length);
    await page.close();
  });

  it('acts once while Enter is held', async () => {
    const page = await open(`#/jobs/${scene.job}`);
    const runs = async () => (await server.api(`/api/jobs/${scene.job}/runs`)).data.length;
    const ran = await runs();
    await page.getByRole('button', { name: 'Run now' }).focus();
    for (let i = 0; i < 5; i++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.getByText('It runs now').waitFor();
    await settled(page);
    assert.equal(await runs(), ran + 1);
    await page.close();
  });
});

describe('addresses that are typed', () => {
  it('lead to a word where they name nothing', async () => {
    const page = await open('#/more');
    for (const [address, words] of Object.entries({
      '#/facts/none': /leads nowhere/, '#/sessions/%ZZ': /no such session/, '#/sessions/none/7': /no such session/, '#/sessions/a%2Fb%3F': /no such session/,
      '#/jobs/none/edit': /no such job/, '#/jobs/none': /no such job/, '#/runs/none': /no run|no such run|not found/i, [`#/memory/session/none/facts?fact=x`]: /Details|A fact/,
    })) {
      await go(page, address);
      assert.match(await page.locator('#page').innerText(), words, address);
    }
    await page.close();
  });

  it('lead to the end of a session where they name no message of it', async () => {
    const page = await open('#/more');
    for (const at of ['99999', 'none', '-1', '1e400', '2.5']) {
      await go(page, `#/sessions/cache/${at}`);
      await page.getByText('In Linz.').waitFor();
      assert.equal(await page.locator('.trouble').count(), 0, at);
      await go(page, '#/more');
    }
    await page.close();
  });

  it('lead to sessions with ids that look like something else', async () => {
    const ids = ['new', 'a/b?c d#e', '%41', '__proto__'];
    for (const id of ids) await write(id, `This is in ${id}.`);
    const page = await open('#/sessions');
    for (const id of ids) {
      await page.locator('a.row', { hasText: `This is in ${id}.` }).click();
      await page.locator('.message', { hasText: `This is in ${id}.` }).waitFor();
      await page.reload();
      await page.locator('.message', { hasText: `This is in ${id}.` }).waitFor();
    }
    await page.close();
  });
});

describe('going away', () => {
  it('leaves a session while it begins, and comes back to it', async () => {
    const page = await open('#/sessions');
    await go(page, '#/sessions/new');
    const release = await hold(page, /v1\/runs$/);
    await say(page, 'Remember the walk in Linz.');
    await page.goBack();
    await page.getByText('Choose a session').waitFor();
    release();
    await page.locator('a.row', { hasText: 'the walk in Linz' }).waitFor();
    await settled(page);
    assert.equal(new URL(page.url()).hash, '#/sessions');
    await page.close();
  });

  it('closes what belongs to a session with it', async () => {
    const page = await open('#/sessions/cache');
    await page.locator('.message.assistant').last().waitFor();
    await page.keyboard.press('w');
    await page.getByRole('complementary', { name: 'Details' }).waitFor();
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('Choose a session').waitFor();
    await page.getByRole('complementary', { name: 'Details' }).waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await settled(page);
    assert.equal(await page.locator('dialog[open]').count(), 0);
    await page.close();
  });

  it('puts what could not be said into no other session', async () => {
    await write('first', 'One.');
    await write('second', 'Two.');
    const page = await open('#/sessions/first');
    await page.locator('.message').waitFor();
    const release = await hold(page, /v1\/runs$/, trouble);
    await say(page, 'This is for the first session.');
    await page.evaluate(() => { location.hash = '#/sessions/second'; });
    await page.locator('.message', { hasText: 'Two.' }).waitFor();
    release();
    await page.getByText('Something went wrong.').waitFor();
    const field = page.getByRole('textbox', { name: 'Say something, or ask' });
    assert.equal(await field.inputValue(), '');
    await go(page, '#/sessions/first');
    assert.equal(await field.inputValue(), 'This is for the first session.');
    await page.close();
  });
});

describe('words of all kinds', () => {
  it('run from right to left where their first letter does', async () => {
    await write('hebrew', 'שלום, עולם!');
    const page = await open('#/sessions/hebrew');
    const words = page.locator('.message .words');
    await words.waitFor();
    // The text stands at the right, and its last sign at the left of it.
    const places = await words.evaluate((el) => {
      const at = (from) => { const range = document.createRange(); range.setStart(el.firstChild, from); range.setEnd(el.firstChild, from + 1); return range.getBoundingClientRect(); };
      return { box: el.getBoundingClientRect().right, first: at(0).right, last: at(el.textContent.length - 1).left };
    });
    assert.ok(places.box - places.first < 2 && places.last < places.first, JSON.stringify(places));
    await page.close();
  });

  it('are typed as one can type them before a thing goes', async () => {
    await write('odd', 'One.');
    await server.api('/api/sessions/odd', { method: 'PATCH', body: { title: `Re\u202Eport  of\u200F the ${'very '.repeat(14)}end` } });
    const page = await open('#/sessions/odd');
    await page.getByText('Actions').click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const word = await page.locator('dialog strong').innerText();
    const said = await page.locator('dialog').innerText();
    assert.doesNotMatch(said, /1 message go|cannot be undone[^]*cannot be undone/);
    assert.match(word, /^Report of the very [very ]+$/);
    assert.ok(word.length <= 60);
    await page.locator('dialog').getByRole('textbox').fill(word);
    await page.getByRole('button', { name: 'Delete 1 message' }).click();
    await page.getByText('The session is deleted.').waitFor();
    await page.close();
  });

  it('stay once when a long message is shown whole, and another comes', async () => {
    await write('long', `Begin ${'word '.repeat(6000)} end.`);
    const page = await open('#/sessions/long');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('word end.').waitFor();
    await write('long', 'Another.');
    await page.locator('.message', { hasText: 'Another.' }).waitFor();
    assert.equal(await page.locator('.message').count(), 2);
    assert.equal(await page.getByRole('button', { name: 'Show all' }).count(), 0);
    await page.close();
  });
});

describe('a clock that is ten minutes off', () => {
  for (const [name, off] of [['ahead', 600_000], ['behind', -600_000]]) {
    it(`changes no time on the page: ${name}`, async () => {
      await write(`clock-${name}`, `The clock is ${name}.`);
      const page = await open(`#/runs/${scene.run}`, { before: (p) => p.clock.install({ time: Date.now() + off }) });
      await page.getByRole('button', { name: 'Approve' }).first().waitFor();
      const said = await page.getByText(/Denied by itself in/).first().innerText();
      const { approvals: [call] } = await server.api(`/v1/runs/${scene.run}`);
      const left = Math.floor((new Date(call.deadline) - Date.now()) / 60_000);
      assert.match(said, new RegExp(`in (${left}|${left + 1}) min`));
      await go(page, '#/sessions');
      assert.match(await page.locator('a.row', { hasText: `The clock is ${name}.` }).innerText(), /just now/);
      await page.close();
    });
  }
});

describe('zones', () => {
  it('do not move the days of UTC that facts are about and that costs are counted by', async () => {
    await write('zone', 'On 5 May 2026 we launched the beta.');
    const page = await open('#/memory/session/zone/facts');
    await page.locator('.facts a.row').first().click();
    const about = page.locator('.pairs', { hasText: 'about' });
    await about.waitFor();
    assert.match(await about.innerText(), /about\s+5 May 2026\s/);
    await go(page, '#/cost');
    await page.getByText('As a table').click();
    const { data } = await server.api('/api/cost');
    const first = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(data[0].at));
    assert.equal(await page.locator('details .grid tbody td').first().innerText(), first);
    await page.close();
  });
});

describe('a browser that is set otherwise', () => {
  it('moves nothing where motion is reduced, while an answer comes', async () => {
    const page = await open('#/sessions/new', { before: (p) => p.emulateMedia({ reducedMotion: 'reduce' }) });
    await page.locator('.transcript').waitFor({ state: 'attached' });
    await page.evaluate(() => {
      const [li, words] = [document.createElement('li'), document.createElement('div')];
      [li.className, words.className] = ['coming', 'words'];
      li.append(words);
      document.querySelector('.transcript').append(li);
    });
    assert.deepEqual(await page.evaluate(() => document.getAnimations().map((a) => a.animationName)), []);
    await page.close();
  });

  it('prints what was said and its title, and nothing to type or to press', async () => {
    await write('print', 'This is to be printed.');
    const page = await open('#/sessions/print', { before: (p) => p.emulateMedia({ media: 'print', colorScheme: 'dark' }) });
    await page.getByText('This is to be printed.').last().waitFor();
    for (const name of ['textbox', 'button', 'link']) assert.equal(await page.getByRole(name).count(), 0, name);
    assert.ok(await page.getByRole('heading', { level: 1 }).isVisible());
    await go(page, '#/sessions/cache'); // whose answer has code to copy, and says why
    await page.locator('pre').first().waitFor();
    assert.equal(await page.getByRole('button').count(), 0);
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).color), 'rgb(29, 28, 26)');
    await page.close();
  });

  it('shows buttons that look like links as such in forced colours', async () => {
    const page = await open('#/sessions/cache', { before: (p) => p.emulateMedia({ forcedColors: 'active' }) });
    const why = page.getByRole('button', { name: 'Why this answer' }).first();
    await until(() => why.evaluate((el) => getComputedStyle(el).textDecorationLine === 'underline'));
    await page.close();
  });
});

describe('a session that is deleted elsewhere', () => {
  it('leaves what was typed, for a new one', async () => {
    await write('lost', 'One.');
    const page = await open('#/sessions/lost');
    await page.locator('.message').waitFor();
    await page.waitForTimeout(300); // until the stream of changes stands
    await page.getByRole('textbox', { name: 'Say something, or ask' }).fill('half-written');
    await server.api('/api/sessions/lost', { method: 'DELETE' });
    await page.locator('.trouble').getByText('half-written').waitFor();
    await page.getByRole('link', { name: 'Say it in a new session' }).click();
    await page.waitForFunction(() => document.querySelector('.compose textarea')?.value === 'half-written');
    await page.close();
  });
});

describe('a session that is begun by its address', () => {
  it('is no longer said to be missing, and what was learnt keeps its direction', async () => {
    const page = await open('#/sessions/begun-here');
    await page.getByText('There is no such session.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
    await say(page, 'שלום, אני גר באוסלו. 123 abc');
    const learnt = page.locator('.learnt bdi').first();
    await learnt.waitFor();
    assert.match(await learnt.innerText(), /אוסלו/);
    assert.equal(await page.getByText('There is no such session.').count(), 0);
    await page.close();
  });
});

describe('two windows', () => {
  it('show nothing any more of what was forgotten in one of them', async () => {
    await write('both', 'My name is Quentin Zephyr.', 'I prefer tabs over spaces.');
    const [fact] = (await server.api('/api/memory?session_id=both&limit=10&q=zephyr')).data;
    const [chat, panel] = [await open('#/sessions/both'), await open(`#/memory/session/both/facts?fact=${fact.id}`)];
    await chat.locator('.message', { hasText: 'Zephyr' }).waitFor();
    await panel.getByText('said by').waitFor();
    await server.api(`/api/memory/${fact.id}?session_id=both`, { method: 'DELETE' });
    for (const page of [chat, panel]) await page.waitForFunction(() => !/Zephyr/.test(document.querySelector('#page').innerText));
    await chat.locator('.message', { hasText: 'tabs over spaces' }).waitFor();
    await chat.close();
    await panel.close();
  });

  it('replace one version of a fact once', async () => {
    await write('twice', 'My cat is called Tom.');
    const [fact] = (await server.api('/api/memory?session_id=twice&limit=10')).data;
    const page = await open(`#/memory/session/twice/facts?fact=${fact.id}`);
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.locator('dialog textarea').fill('My cat is called Tim.');
    await page.route(/api\/memory\?/, () => {}); // the window has not yet heard of the other edit
    await server.api(`/api/memory/${fact.id}?session_id=twice`, { method: 'PATCH', body: { statement: 'My cat is called Rex.' } });
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.locator('dialog').getByText('The fact no longer holds').waitFor();
    const { data } = await server.api('/api/memory?session_id=twice&limit=10&status=current');
    assert.deepEqual(data.map((f) => f.statement.replace(/\.$/, '')), ['My cat is called Rex']);
    await page.close();
  });

  it('keep an edit that could not be stored, and store it when it can be', async () => {
    await write('edit', 'We decided to use gRPC.');
    const [fact] = (await server.api('/api/memory?session_id=edit&limit=10')).data;
    const page = await open(`#/memory/session/edit/facts?fact=${fact.id}`, { size: sizes.narrow });
    await page.getByRole('button', { name: 'Edit…' }).click();
    const field = page.getByRole('dialog', { name: 'Edit this fact' }).getByRole('textbox');
    await page.route(/api\/memory\/f_/, (route) => (route.request().method() === 'PATCH' ? route.fulfill(trouble) : route.continue()));
    await field.fill('We decided to use REST.');
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByRole('dialog').getByText('Something went wrong.').waitFor();
    assert.equal(await field.inputValue(), 'We decided to use REST.');
    await page.unroute(/api\/memory\/f_/);
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    // On a small screen the panel is a dialog: the message must be in it to be pressed.
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await server.api('/api/memory?session_id=edit&limit=10&status=current')).data.some((f) => /gRPC/.test(f.statement)));
    await page.close();
  });
});

describe('something before the server', () => {
  it('is named, where it answers in place of the server', async () => {
    const page = await open('#/more');
    for (const status of [200, 403, 429, 500]) {
      await page.route(/api\/sessions\?/, (route) => route.fulfill(html(status)));
      await go(page, '#/sessions');
      assert.match(await page.locator('.trouble').innerText(), new RegExp(`Not the server but something before it.* ${status}`));
      await page.unroute(/api\/sessions\?/);
      await go(page, '#/more');
    }
    await page.close();
  });

  it('may say until when to wait as a date', async () => {
    const page = await open('#/more');
    await page.route(/api\/sessions\?/, (route) => route.fulfill(html(429, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() })));
    await go(page, '#/sessions');
    await page.getByText(/Trying again in 1 min/).waitFor();
    await page.close();
  });

  it('is waited for while it says that the server is away', async () => {
    const page = await open('#/more');
    await page.route(/\/(api|v1|health)/, (route) => route.fulfill(html(502)));
    await page.evaluate(() => { location.hash = '#/sessions'; });
    await page.getByText('The server cannot be reached, trying again').waitFor();
    await page.unroute(/\/(api|v1|health)/);
    await page.locator('a.row').first().waitFor();
    await page.close();
  });

  it('keeps nobody out for longer than it lasts', async () => {
    const page = await open('#/sessions', { before: (p) => p.route(/api\/(page|me)$/, (route) => route.fulfill(html(500))) });
    await page.locator('.trouble').waitFor();
    assert.equal(await page.locator('dialog').count(), 0);
    await page.unroute(/api\/(page|me)$/);
    await page.getByText('Development key').waitFor();
    await page.locator('a.row').first().waitFor();
    await page.close();
  });

  it('may lose a part of the page, which is then said', async () => {
    const page = await open('#/sessions', { before: (p) => p.route(/js\/cost\.js/, (route) => route.abort()) });
    await go(page, '#/cost');
    await page.getByText('This part of the page could not be read').waitFor();
    await page.unroute(/js\/cost\.js/);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('heading', { name: 'Cost' }).waitFor();
    await page.close();
    pages.seen.errors = pages.seen.errors.filter((e) => !/cost\.js/.test(e));
  });
});

describe('a file that is dropped', () => {
  it('is not opened in place of the page, and that is said', async () => {
    const page = await open('#/sessions/cache');
    await settled(page);
    const taken = await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'x.txt'));
      return ['dragover', 'drop'].map((type) => !document.querySelector('main').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })));
    });
    assert.deepEqual(taken, [true, true]);
    await page.getByText('Files cannot be given to this page').waitFor();
    await page.close();
  });
});

describe('another owner who signs in', () => {
  it('does nothing that the one before had begun, and reads none of its drafts', async () => {
    const two = await startHermes({ env: stage.env });
    const make = (name, owner, key) => two.api('/api/keys', { method: 'POST', key, body: { name, owner, scopes: ['chat', 'sessions:read', 'sessions:write', 'memory', 'admin'] } });
    const root = await make('root', 'ann');
    const [ann, ben] = [await make('ann', 'ann', root.key), await make('ben', 'ben', root.key)];
    const page = await pages.open(`${two.url}/`);
    const enter = async (key) => {
      await page.getByLabel('Key', { exact: true }).fill(key);
      await page.locator('dialog').getByRole('button', { name: 'Sign in' }).click();
    };
    await enter(ann.key);
    await page.getByText('Signed in as ann').waitFor();
    await go(page, '#/sessions/new');
    await page.getByRole('textbox', { name: 'Say something, or ask' }).fill('Nobody but Ann may read this.');
    await two.api(`/api/keys/${ann.id}`, { method: 'DELETE', key: root.key });
    await page.getByRole('textbox', { name: 'Say something, or ask' }).press('Enter');
    await enter(ben.key);
    await page.getByText('Signed in as ben').waitFor();
    await settled(page);
    assert.equal(await page.getByText('Nobody but Ann').count(), 0);
    assert.equal(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage })).then((kept) => /Nobody but Ann/.test(kept)), false);
    assert.equal(await page.locator('textarea').inputValue().catch(() => ''), '');
    assert.deepEqual((await two.api('/api/sessions', { key: ben.key })).data, []);
    await page.close();
    await two.kill();
  });
});

describe('the whole of it', () => {
  it('asks no other origin, breaks no policy, and writes no error', () => {
    assert.deepEqual(pages.seen.reports, []);
    assert.deepEqual(pages.seen.errors, []);
  });
});

describe('a pasted text of 2 MB', () => {
  // paste pastes a text into the field, as Ctrl+V does.
  const paste = (page, size) => page.getByLabel('Say something').evaluate((field, n) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', `the log begins ${'one more line of a log\n'.repeat(n / 23)}the log ends`);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    if (field.dispatchEvent(event)) field.setRangeText(clipboardData.getData('text/plain'));
  }, size);
  const waits = (page) => page.getByText(/A pasted text of [\d,]+ characters goes with your message/);
  const told = async (id) => (await server.api(`/api/sessions/${id}/messages`)).data.filter((m) => m.role === 'user').map((m) => m.content);

  it('waits beside the field over a reload and another session, can be removed, and is sent', async () => {
    await write('pasted', 'A log follows.');
    const page = await open('#/sessions/pasted');
    const field = page.getByLabel('Say something');
    await field.fill('What is wrong here?');
    await paste(page, 2_000_000);
    await waits(page).waitFor();
    assert.equal(await field.inputValue(), 'What is wrong here?');
    await page.reload();
    await waits(page).waitFor();
    await go(page, '#/sessions/once');
    await waits(page).waitFor({ state: 'detached' });
    await go(page, '#/sessions/pasted');
    await waits(page).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await waits(page).waitFor({ state: 'detached' });
    await paste(page, 2_000_000);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await waits(page).waitFor({ state: 'detached' });
    const sent = await until(async () => (await told('pasted')).find((text) => text.startsWith('What is wrong here?')));
    assert.ok(sent.length > 1_900_000 && sent.endsWith('the log ends'), `${sent.length} characters came`);
    await page.close();
  });

  it('is not lost when it cannot be sent', async () => {
    await write('kept', 'Another log follows.');
    const page = await open('#/sessions/kept');
    await page.route('**/v1/**', (route) => (route.request().method() === 'POST' ? route.fulfill(trouble) : route.continue()));
    await paste(page, 200_000);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Something went wrong.').first().waitFor();
    await waits(page).waitFor();
    assert.deepEqual(await told('kept'), ['Another log follows.']);
    await page.close();
  });
});
