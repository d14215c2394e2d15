// What a model is sent stays small however long a session gets, and nothing
// that was said is lost by that.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { startHermes } from './support/hermes.mjs';
import { startUpstream } from './support/upstream.mjs';
import { filler } from './support/filler.mjs';
import { promptTokens, textOf } from './support/tokens.mjs';

// A model whose vocabulary is known, so that the server's budget is exact.
const model = 'gpt-4o';

const user = (content) => ({ role: 'user', content });
const session = (id) => ({ headers: { 'X-Hermes-Session-Id': id } });

// setUp starts an upstream whose answers are answer(body), and a server in front.
async function setUp(answer, env) {
  const upstream = await startUpstream({ reply: answer, models: [model] });
  const server = await startHermes({ env: { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: model, ...env } });
  const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'hermes', maxRetries: 0 });
  const tearDown = async () => {
    await upstream.close();
    await server.stop();
  };
  return { upstream, server, client, tearDown };
}

describe('600 turns with the default budget', () => {
  const turns = 600;
  const talk = filler(600);
  const sent = []; // tokens of turn i + 1
  let at;

  before(async () => {
    at = await setUp(() => ({ text: talk.talk(1) }));
    await at.client.chat.completions.create({ model: 'hermes', messages: [user('The launch codeword of the other project is kingfisher.')] }, session('project:other'));
    at.upstream.calls.length = 0;
    for (let turn = 1; turn <= turns; turn++) {
      const words = turn === 1
        ? 'We decided to use PostgreSQL 15 for the ledger because the team has run it for years.'
        : talk.talk(4);
      await at.client.chat.completions.create({ model: 'hermes', messages: [user(words)] }, session('project:1'));
      sent.push(promptTokens(at.upstream.last));
    }
    await at.client.chat.completions.create({ model: 'hermes', messages: [user('Good. Let us go on with the rest now.')] }, session('project:1'));
  });
  after(() => at?.tearDown());

  const mean = (list) => list.reduce((sum, n) => sum + n, 0) / list.length;

  it('never sends more than 8,000 tokens', () => {
    assert.ok(Math.max(...sent) <= 8000, `got ${Math.max(...sent)} in turn ${sent.indexOf(Math.max(...sent)) + 1}`);
  });

  it('costs no more at turn 600 than at turn 300', () => {
    const [early, late] = [mean(sent.slice(199, 300)), mean(sent.slice(499, 600))];
    assert.ok(late <= 1.1 * early, `turns 200–300 took ${early.toFixed(0)} tokens on average, turns 500–600 ${late.toFixed(0)}`);
  });

  it('calls the model once for each turn', () => {
    assert.equal(at.upstream.calls.length, turns + 1);
  });

  it('sends the first turn and its reason when turn 602 asks for them', async () => {
    await at.client.chat.completions.create({ model: 'hermes', messages: [user('Which database did we choose for the ledger, and why?')] }, session('project:1'));
    const text = textOf(at.upstream.last);
    assert.match(text, /PostgreSQL 15/);
    assert.match(text, /because the team has run it for years/);
    assert.ok(promptTokens(at.upstream.last) <= 8000);
  });

  it('sends nothing of another session', () => {
    assert.ok(at.upstream.calls.every(({ body }) => !/kingfisher/i.test(textOf(body))));
  });
});

describe('60 long turns with a budget of 1,500', () => {
  const budget = 1500;
  const turns = 60;
  let at;
  before(async () => {
    at = await setUp(({ messages }) => ({ text: `Answer to ${/Turn \w+/.exec(messages.at(-1).content)?.[0] ?? 'you'}.` }), { HERMES_CONTEXT_BUDGET: String(budget) });
  });
  after(() => at?.tearDown());

  // say takes a turn, streamed or not, and returns the effective id as the
  // body tells it and as the header does.
  async function say(id, text, stream) {
    const { data, response } = await at.client.chat.completions
      .create({ model: 'hermes', messages: [user(text)], stream }, session(id)).withResponse();
    const header = response.headers.get('x-hermes-session-id');
    if (!stream) return { header, hermes: data.hermes };
    let last;
    for await (const chunk of data) {
      assert.equal(chunk.choices.length, 1, 'a chunk without choices although no usage was asked for');
      last = chunk;
    }
    assert.equal(last.choices[0].finish_reason, 'stop');
    return { header, hermes: last.hermes };
  }

  // Both kinds of client: one goes on with the id it is given, one never does.
  for (const adopts of [true, false]) {
    describe(adopts ? 'by a client that adopts the ids it is given' : 'by a client that keeps its own id', () => {
      const name = adopts ? 'adopts' : 'keeps';
      const talk = filler(adopts ? 60 : 61);
      const words = (turn) => `Turn ${name}${turn}: ${talk.talk(6)}`;
      const said = []; // the user's words, turn by turn
      const ids = new Set([name]);
      let compressions = 0;

      it('is answered with the recent turns in sight, within the budget', async () => {
        let id = name;
        for (let turn = 1; turn <= turns; turn++) {
          said.push(words(turn));
          const { header, hermes } = await say(id, said.at(-1), turn % 2 === 0);
          assert.equal(hermes.session_id, header, `turn ${turn}: the answer and the header name different sessions`);
          if (hermes.compressed) compressions++;
          ids.add(header);
          if (adopts) id = header;

          const { last } = at.upstream;
          assert.ok(promptTokens(last) <= budget, `turn ${turn}: ${promptTokens(last)} tokens were sent`);
          assert.equal(last.messages.at(-1).content, said.at(-1));
          if (turn > 1) {
            const place = last.messages.findIndex((m) => m.role === 'user' && m.content === said.at(-2));
            assert.ok(place >= 0, `turn ${turn}: the turn before it is not in sight`);
            assert.equal(last.messages[place + 1].content, `Answer to Turn ${name}${turn - 1}.`);
          }
          assert.ok(turn < 3 || textOf(last).includes(`Turn ${name}${turn - 2}:`), `turn ${turn}: nothing is left of the last turn but one`);
        }
      });

      it('is compressed five times or more', () => {
        assert.ok(compressions >= 5, `got ${compressions}`);
        assert.equal(ids.size, compressions + 1, `got the ids ${[...ids]}`);
      });

      it('finds the tip under every id it ever saw', async () => {
        const { id: tip, lineage } = await at.server.session(name);
        for (const id of ids) assert.equal((await at.server.session(id)).id, tip, `${id} does not lead to ${tip}`);
        assert.deepEqual(lineage.map((s) => s.id).sort(), [...ids].sort());
        onlyChildren(lineage);
      });

      it('loses no turn of the transcript', async () => {
        const { data } = await at.server.api(`/api/sessions/${name}/messages?limit=1000`);
        assert.deepEqual(data.filter((m) => m.role === 'user').map((m) => m.content), said);
        assert.equal(data.filter((m) => m.role === 'assistant').length, turns);
      });
    });
  }

  it('makes one child when several requests come at once', async () => {
    const talk = filler(62);
    const wide = { headers: { 'X-Hermes-Session-Id': 'crowd', 'X-Hermes-Context-Budget': '8000' } };
    for (let turn = 1; turn <= 15; turn++) {
      await at.client.chat.completions.create({ model: 'hermes', messages: [user(`Turn crowd${turn}: ${talk.talk(6)}`)] }, wide);
    }
    assert.equal((await at.server.session('crowd')).compressions, 0);
    // All of these find the session too long for the budget of the others.
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => say('crowd', `And number ${i}?`, i % 2 === 0)));
    const { id, lineage } = await at.server.session('crowd');
    assert.deepEqual(answers.map((a) => a.hermes.compressed).sort(), [false, false, false, false, false, true]);
    assert.deepEqual([...new Set(answers.map((a) => a.header))], [id]);
    assert.equal(lineage.length, 2);
    onlyChildren(lineage);
  });

  // onlyChildren checks that a lineage is a chain.
  function onlyChildren(lineage) {
    const parents = lineage.map((s) => s.parent_session_id).filter(Boolean);
    assert.equal(new Set(parents).size, parents.length, `two children of one parent: ${parents}`);
    assert.equal(parents.length, lineage.length - 1);
  }
});
