// Front ends replayed: six turns with another answer and an edit among them, and between
// the turns the prompts that the front end sends for itself. Each has only a URL and a
// key, except for the headers in its row.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';
import { frontEnds, marker } from './support/frontends.mjs';

const says = [
  'My dog is called Quark, and he is four years old.',
  'We want to move to Bergen in the spring because of the mountains.',
  'Which things should I pack first for the move?',
  'How do I tell my landlord about it in a friendly way?',
  'Is there anything to know about dogs on ferries?',
  'Thank you, that is all I need to know for today.',
];
const edited = 'Is there anything to know about dogs on long trains?';

// Chat is one chat of a front end: it keeps the history and sends what the front end sends.
class Chat {
  history = [];

  constructor(frontEnd, baseURL, id) {
    Object.assign(this, { frontEnd, baseURL, id });
  }

  async #post(body, headers) {
    const response = await fetch(`${this.baseURL}/chat/completions`, {
      method: 'POST', headers: { authorization: 'Bearer hermes', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'hermes', ...body }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { headers: response.headers, text: body.stream ? streamed(text) : JSON.parse(text).choices[0].message.content };
  }

  async #answer() {
    const { body = (messages) => ({ messages }), headers = () => ({}), stream, window = Infinity } = this.frontEnd;
    const sent = this.history.slice(-window);
    const answer = await this.#post({ stream, ...body(sent, this.id) }, headers(this.id));
    this.history.push({ role: 'assistant', content: answer.text });
  }

  say(content) {
    this.history.push({ role: 'user', content });
    return this.#answer();
  }

  again() {
    this.history.pop();
    return this.#answer();
  }

  edit(content) {
    this.history.splice(-2);
    return this.say(content);
  }

  async task(name) {
    const { tasks, taskHeaders, headers = () => ({}) } = this.frontEnd;
    const got = await this.#post(tasks[name](this.history), (taskHeaders ?? headers)(this.id, name));
    assert.match(got.text, /^TASK/, `${name} was answered with ${got.text}`);
    if (!taskHeaders) assert.match(got.headers.get('x-hermes-task') ?? '', /^recognised-/, name);
  }

  async tasks() {
    for (const name of Object.keys(this.frontEnd.tasks)) await this.task(name);
  }
}

function streamed(text) {
  return text.split('\n').filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '').join('');
}

describe('front ends', { concurrency: 1 }, () => {
  let server;
  let upstream;
  before(async () => {
    let n = 0;
    upstream = await startUpstream({
      reply: ({ messages }) => ({ text: JSON.stringify(messages).includes(marker) ? 'TASK done' : `Here is what I think of it, number ${++n}.` }),
    });
    server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: 'scripted-model' } });
  });
  after(async () => {
    await upstream?.close();
    await server?.stop();
  });

  for (const [i, frontEnd] of frontEnds.entries()) {
    it(frontEnd.name, async () => {
      const key = `person-${i}`;
      const baseURL = `${server.url}/k/${key}/v1`;
      const sessions = async () => (await server.api('/api/sessions?limit=200')).data.filter((s) => s.session_key === key);
      const chat = new Chat(frontEnd, baseURL, `a${i}`);
      for (const [turn, text] of says.entries()) {
        await chat.say(text);
        if (turn === 0 || turn === 3 || turn === 5) await chat.tasks();
        if (turn === 2) await chat.again();
        if (turn === 4) await chat.edit(edited);
      }

      const kept = await sessions();
      assert.equal(kept.length, 1, `one chat became ${kept.length} sessions`);
      const { data } = await server.api(`/api/sessions/${encodeURIComponent(kept[0].id)}/messages?limit=200`);
      const shown = data.filter((m) => !m.undone_at).map(({ role, content }) => ({ role, content }));
      assert.deepEqual(frontEnd.greets ? shown.slice(-12) : shown, chat.history);
      const stored = JSON.stringify([data, await server.api(`/api/memory?session_key=${key}`)]);
      assert.ok(!stored.includes(marker) && !stored.includes('TASK'), 'a task was stored or learnt');

      const second = new Chat(frontEnd, baseURL, `b${i}`);
      await second.say('What is my dog called?');
      assert.match(JSON.stringify(upstream.last.messages.slice(0, -1)), /Quark/, 'the second chat does not know the fact of the first');
      assert.equal((await sessions()).length, 2);
    });
  }
});
