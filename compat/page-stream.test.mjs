// Answers as they come to the page: growing, stopped, reloaded, over a crash of the
// server, and while somebody reads further up or speaks from elsewhere.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { newHome, startHermes } from './support/hermes.mjs';
import { answered, say, startPages } from './support/page.mjs';
import { until } from './support/scene.mjs';
import { startUpstream } from './support/upstream.mjs';

const words = Array.from({ length: 400 }, (_, i) => `word${i} `);

let pages, upstream, server, home;
const settings = () => ({ home, env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model', HERMES_ADDR: new URL(server?.url ?? 'http://127.0.0.1:0').host } });

before(async () => {
  home = newHome();
  pages = await startPages();
  upstream = await startUpstream({ reply: () => ({ text: 'Noted.' }) });
  server = await startHermes(settings());
});
after(async () => {
  await pages?.close();
  await server?.kill();
  await upstream?.close();
});

const newest = (page) => page.locator('.message.assistant').last();
const at = (page, seq) => page.evaluate((n) => document.getElementById(`m${n}`)?.getBoundingClientRect().top, seq);

// fill gives a session as many messages as are asked for.
async function fill(id, count) {
  const messages = Array.from({ length: count }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user', content: `Line ${i}. ${'It is told at some length. '.repeat(i % 5)}`, created_at: new Date(Date.UTC(2026, 5, 1, 0, i)).toISOString(),
  }));
  for (let i = 0; i < count; i += 500) await server.api(`/api/sessions/${id}/messages`, { method: 'POST', body: { messages: messages.slice(i, i + 500) } });
}

describe('an answer as it comes', () => {
  it('grows, and keeps its part when it is stopped', async () => {
    upstream.queue({ chunks: ['The first part, ', 'and more of it. '], hangs: true });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'Tell me at length.');
    await newest(page).getByText('The first part, and more of it.').waitFor();
    await page.getByText('Answering…').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. This is the part that was said.').waitFor();
    await newest(page).getByText('The first part, and more of it.').waitFor();
    await page.close();
  });

  it('is drawn piece by piece where a list is long, and whole in the end', async () => {
    const list = Array.from({ length: 600 }, (_, i) => `- item ${i} with **some** more words\n`); // 450 of them are 16 KB
    const give = [];
    const late = Array.from({ length: 4 }, () => new Promise((resolve) => { give.push(resolve); })); // ten items each
    upstream.queue({ chunks: [...list.slice(0, 560), ...late, '\n\nA last word.\n\n', 'And more'], between: 4, hangs: true });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await page.evaluate(() => {
      [window.items, window.made, window.plain] = [0, 0, 0];
      new MutationObserver((all) => {
        const added = all.flatMap((m) => [...m.addedNodes]).filter((n) => n.tagName === 'LI' && n.closest('.region'));
        window.made += added.length;
        window.items = Math.max(window.items, added.length);
        window.plain = Math.max(window.plain, document.querySelectorAll('.region.plain > div').length);
      }).observe(document.body, { childList: true, subtree: true });
    });
    await say(page, 'Tell me a list.');
    for (const [i, more] of give.entries()) { // each once the text before it is on view
      const next = 560 + 10 * i;
      await newest(page).locator('.region.plain', { hasText: `item ${next - 1} ` }).waitFor();
      more(list.slice(next, next + 10).join(''));
    }
    await newest(page).locator('p', { hasText: 'A last word.' }).waitFor();
    await page.waitForFunction(() => document.querySelectorAll('.coming .words li').length === 600);
    assert.equal(await newest(page).locator('.words li').last().innerText(), 'item 599 with some more words');
    const { items, made, plain } = await page.evaluate(() => ({ items: window.items, made: window.made, plain: window.plain }));
    assert.ok(items <= 100, `${items} were put into the document at once`);
    assert.ok(plain > 2, `a long text has ${plain} elements, and is laid out as a whole for each piece`);
    assert.ok(made < 2 * 600 + 100, `${made} items were made for a list of 600`);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').first().waitFor();
    await page.close();
  });

  it('goes on over a reload without loss or doubling', async () => {
    const step = { chunks: words.slice(0, 200), hangs: true };
    upstream.queue(step);
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'Tell me words.');
    await newest(page).getByText('word199').waitFor();
    await page.reload();
    await newest(page).getByText('word199').waitFor();
    const text = await newest(page).locator('.words').innerText();
    assert.equal(text.trim().split(/\s+/).length, 200);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').first().waitFor();
    assert.equal((await newest(page).locator('.words').innerText()).trim().split(/\s+/).length, 200);
    await page.close();
  });

  it('begins anew after a crash of the server, and ends once', async () => {
    upstream.queue({ chunks: ['This will be lost. '], hangs: true }, { chunks: ['This is the answer.'] });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'Will it survive?');
    await newest(page).getByText('This will be lost.').waitFor();
    const options = settings();
    await server.kill();
    await page.getByText('The server cannot be reached, trying again').waitFor();
    server = await startHermes(options);
    await newest(page).getByText('This is the answer.').waitFor({ timeout: 15_000 });
    await until(async () => (await page.locator('.coming').count()) === 0);
    assert.equal(await page.getByText('This will be lost.').count(), 0);
    assert.equal(await page.getByText('This is the answer.').count(), 1);
    assert.equal(await page.locator('.message.user').count(), 1);
    await page.close();
  });

  it('is followed also where the page hears of its run before it has the answer to its own request', async () => {
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'Begin.');
    await answered(page, 1);
    let end;
    upstream.queue({ chunks: ['It is followed. ', new Promise((resolve) => { end = () => resolve('To its end.'); })] });
    await page.route(/\/v1\/runs$/, async (route) => {
      const response = await route.fetch();
      await page.waitForFunction(() => document.querySelectorAll('.coming').length === 2); // what was said, and what was heard of
      await route.fulfill({ response });
    });
    await say(page, 'Was it heard?');
    await newest(page).getByText('It is followed.').waitFor();
    end();
    assert.match(await answered(page, 2), /^It is followed. To its end.$/);
    assert.equal(await page.locator('.message.user').count(), 2);
    await page.close();
  });

  it('is not read while nobody sees the page, and goes on where it was', async () => {
    upstream.queue({ chunks: words.slice(0, 150), between: 15 });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    // A browser without a screen shows every page, so it is told that this one is hidden.
    const seen = (yes) => page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, !yes);
    const count = async () => (await newest(page).locator('.words').innerText()).trim().split(/\s+/).length;
    await say(page, 'Tell me slowly.');
    await newest(page).getByText('word5 ').waitFor();
    await seen(false);
    await page.waitForTimeout(100); // what had come is drawn
    const was = await count();
    await page.waitForTimeout(500);
    assert.equal(await count(), was);
    await seen(true);
    await newest(page).getByText('word149').waitFor();
    await until(async () => (await page.locator('.coming').count()) === 0);
    assert.equal(await count(), 150);
    assert.equal(await page.locator('.message.assistant').count(), 1);
    await page.close();
  });

  it('loses and doubles nothing over five seconds without a network', async () => {
    const all = [];
    for (const count of [100, 300]) { // one ends meanwhile, the other one afterwards
      upstream.queue({ chunks: words.slice(0, count), between: 30 });
      const page = await pages.open(`${server.url}/#/sessions/new`);
      await say(page, `Tell me ${count} words through a tunnel.`);
      await newest(page).getByText('word9 ').waitFor();
      all.push([page, count]);
    }
    const shown = async (page) => (await newest(page).locator('.words').innerText()).trim().split(/\s+/);
    await all[0][0].context().setOffline(true);
    await all[0][0].waitForTimeout(5000);
    for (const [page, count] of all) {
      const part = await shown(page); // once: what came before may still be drawn
      assert.deepEqual(part, words.slice(0, part.length).map((w) => w.trim()), `${count} words`);
    }
    await all[0][0].context().setOffline(false);
    for (const [page, count] of all) {
      await newest(page).getByText(`word${count - 1}`).waitFor();
      await page.waitForFunction(() => !document.querySelector('.coming, .bar') && document.querySelector('#m1'));
      assert.deepEqual(await shown(page), words.slice(0, count).map((w) => w.trim()));
      assert.equal(await page.locator('.message').count(), 2);
      await page.close();
    }
  });

  it('comes back after the network was away', async () => {
    upstream.queue({ chunks: ['Half of it. '], hangs: true });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'And offline?');
    await newest(page).getByText('Half of it.').waitFor();
    await page.context().setOffline(true);
    await page.evaluate(() => fetch('health').catch(() => {}));
    await page.getByRole('textbox', { name: 'Say something, or ask' }).fill('said while away');
    await page.getByRole('textbox', { name: 'Say something, or ask' }).press('Enter');
    await page.getByText('The server cannot be reached, trying again').waitFor();
    await page.context().setOffline(false);
    await page.getByText('The server cannot be reached, trying again').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await newest(page).getByText('Noted.').waitFor();
    assert.equal(await page.locator('.message.user', { hasText: 'said while away' }).count(), 1);
    await page.close();
  });
});

describe('an answer that fails', () => {
  const status = (page) => page.locator('p.unseen[role=status]').innerText();

  it('is told at its message, also after a reload, and can be asked for again', async () => {
    upstream.queue({ status: 400, error: { message: 'The model is out.' } });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    const asked = (text) => page.locator('.message.user', { hasText: text });
    await say(page, 'Is the model there?');
    await asked('Is the model there?').getByText(/The answer failed: .*The model is out/).waitFor();
    assert.match(await status(page), /The answer failed/);
    await say(page, 'And now?');
    await answered(page, 1);
    await page.waitForFunction(() => document.querySelector('p.unseen[role=status]').innerText === 'Answered');
    const told = () => page.locator('.transcript > .message').evaluateAll((all) => all.map((el) => /The answer failed/.test(el.innerText)));
    assert.deepEqual(await told(), [true, false, false]);
    await page.reload();
    await asked('Is the model there?').getByText('The answer failed').waitFor();
    assert.deepEqual(await told(), [true, false, false]);
    await asked('Is the model there?').getByRole('button', { name: 'Ask again' }).click();
    await answered(page, 2);
    assert.deepEqual(await told(), [true, false, false, false, false]);
    await page.close();
  });

  it('is not called answered when it breaks off or is stopped', async () => {
    upstream.queue({ chunks: ['A part. '], breaks: { message: 'The model fell over.' } }, { chunks: ['Another part. '], hangs: true });
    const page = await pages.open(`${server.url}/#/sessions/new`);
    await say(page, 'Will you break off?');
    await page.getByText('The model broke off.').waitFor();
    assert.match(await status(page), /The answer failed/);
    await say(page, 'Will you stop?');
    await newest(page).getByText('Another part.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.waitForFunction(() => /^Stopped/.test(document.querySelector('p.unseen[role=status]').innerText));
    await page.close();
  });
});

describe('without a network', () => {
  const away = async (page) => {
    await page.context().setOffline(true);
    await page.evaluate(() => fetch('health').catch(() => {}));
  };

  it('what is on its way is no draft, and is stored once', async () => {
    await fill('away', 2);
    const page = await pages.open(`${server.url}/#/sessions/away`);
    const field = page.getByRole('textbox', { name: 'Say something, or ask' });
    await page.locator('#m1').waitFor();
    await away(page);
    await say(page, 'Store this once.');
    await page.evaluate(() => { location.hash = '#/settings'; });
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.goBack();
    await page.getByText('What you said is being sent').waitFor();
    assert.equal(await field.inputValue(), '');
    await field.fill('the next thing');
    await page.context().setOffline(false);
    await page.locator('.message.user', { hasText: 'Store this once.' }).waitFor();
    await page.getByText('What you said is being sent').waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), 'the next thing');
    await page.reload();
    await page.waitForFunction(() => document.querySelector('.compose textarea')?.value === 'the next thing');
    await page.close();
  });

  it('the lists wait until it is back', async () => {
    const page = await pages.open(`${server.url}/#/settings`);
    await page.getByText('Development key').waitFor();
    await away(page);
    let asked = 0;
    page.on('request', (r) => { if (/api\/(sessions|memory)/.test(r.url())) asked++; });
    for (const place of ['memory', 'sessions']) {
      await page.evaluate((to) => { location.hash = `#/${to}`; }, place);
      await page.waitForTimeout(1500);
    }
    assert.ok(asked > 0 && asked < 10, `${asked} requests in three seconds`);
    await page.context().setOffline(false);
    await page.locator('a.row').first().waitFor();
    await page.close();
  });
});

describe('reading further up', () => {
  it('stays in its place to the pixel while an answer grows', async () => {
    await fill('long', 120);
    upstream.queue({ chunks: words, hangs: true });
    const page = await pages.open(`${server.url}/#/sessions/long`);
    await page.locator('#m119').waitFor();
    await say(page, 'More words, please.');
    await page.locator('.talk').evaluate((el) => { el.scrollTop = el.scrollHeight - el.clientHeight - 700; });
    const was = await at(page, 115);
    await newest(page).getByText('word399').waitFor();
    assert.equal(await at(page, 115), was);
    await page.getByRole('button', { name: 'Follow the answer' }).click();
    assert.ok(await page.locator('.talk').evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight < 48));
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').first().waitFor();
    await page.close();
  });

  it('moves the message under the eye by a pixel at most when older ones come', async () => {
    await fill('older', 400);
    const page = await pages.open(`${server.url}/#/sessions/older`);
    await page.locator('#m399').waitFor();
    for (let first = 350; first > 0; first -= 50) {
      const seq = first + 3;
      await page.locator('.talk').evaluate((el, n) => { el.scrollTop += document.getElementById(`m${n}`).getBoundingClientRect().top - el.getBoundingClientRect().top - 20; }, seq);
      const was = await at(page, seq);
      await page.waitForFunction((n) => document.getElementById(`m${n}`), first - 50);
      assert.ok(Math.abs(await at(page, seq) - was) <= 1, `message ${seq} moved by ${await at(page, seq) - was} pixels`);
      assert.ok(await page.locator('.message').count() <= 250);
    }
    await page.close();
  });

  it('ends where something is said', async () => {
    const page = await pages.open(`${server.url}/#/sessions/older/0`);
    await page.locator('#m0').waitFor();
    await say(page, 'Said from far up.');
    await page.waitForFunction(() => {
      const said = [...document.querySelectorAll('.message.user')].find((el) => /Said from far up/.test(el.innerText))?.getBoundingClientRect();
      return said && said.top > 0 && said.top < innerHeight && document.querySelector('.message:last-child .words')?.innerText === 'Noted.';
    });
    await page.close();
  });

  it('ends where something is said, also if the newest messages come after the answer', async () => {
    const page = await pages.open(`${server.url}/#/sessions/older/0`);
    await page.locator('#m0').waitFor();
    let answered;
    const over = new Promise((resolve) => { answered = resolve; });
    await page.route(/messages\?.*order=latest/, async (route) => {
      const response = await route.fetch();
      await over;
      await route.fulfill({ response });
    });
    await say(page, 'Said before the newest messages came.');
    await page.waitForFunction(() => document.querySelector('p.unseen[role=status]').innerText === 'Answered' && !document.querySelector('.coming'));
    answered();
    await page.locator('.message.user', { hasText: 'Said before the newest messages came.' }).waitFor();
    await page.waitForFunction(() => document.querySelector('.message:last-child .words')?.innerText === 'Noted.');
    await page.close();
  });

  it('jumps to a message that the address names', async () => {
    const page = await pages.open(`${server.url}/#/sessions/older/123`);
    await page.locator('#m123.target').waitFor();
    const top = await at(page, 123);
    assert.ok(top > 50 && top < 400, `it stands at ${top}`);
    assert.ok(await page.locator('.message').count() <= 250);
    await page.close();
  });

  it('jumps there also if the messages come before the page was drawn', async () => {
    const page = await pages.open(`${server.url}/#/sessions`);
    await page.evaluate(() => {
      const frame = requestAnimationFrame;
      window.requestAnimationFrame = (draw) => setTimeout(() => frame(draw), 1000);
    });
    const told = page.waitForResponse(/older\/messages/);
    await page.evaluate(() => { location.hash = '#/sessions/older/123'; });
    await told;
    await page.locator('#m123.target').waitFor();
    const top = await at(page, 123);
    assert.ok(top > 50 && top < 400, `it stands at ${top}`);
    await page.close();
  });
});

describe('what others do', () => {
  it('appears within a second, without a reload', async () => {
    const page = await pages.open(`${server.url}/#/sessions/long`);
    await page.locator('#m119').waitFor();
    await page.waitForTimeout(300); // until the stream of changes stands
    const began = Date.now();
    await server.api('/v1/chat/completions', { method: 'POST', body: { model: 'hermes', messages: [{ role: 'user', content: 'From elsewhere.' }] }, headers: { 'x-hermes-session-id': 'long' } });
    await page.locator('.message.user', { hasText: 'From elsewhere.' }).waitFor();
    assert.ok(Date.now() - began < 2000, `it took ${Date.now() - began} ms with the turn itself`);
    await page.close();
  });

  it('is said, if the session was deleted', async () => {
    await fill('gone', 2);
    const page = await pages.open(`${server.url}/#/sessions/gone`);
    await page.locator('#m1').waitFor();
    await page.waitForTimeout(300);
    await server.api('/api/sessions/gone', { method: 'DELETE' });
    await page.getByText('This session was deleted elsewhere.').waitFor();
    assert.equal(await page.locator('.message').count(), 2);
    await page.close();
  });
});
