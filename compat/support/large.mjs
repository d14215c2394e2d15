// A home of the size of years: one session of many messages and facts, many sessions, and
// one message of ten million bytes. The same numbers give the same home.
import { filler } from './filler.mjs';

const tools = ['Postgres', 'Redis', 'Kafka', 'nginx', 'Terraform', 'Grafana', 'Elasticsearch', 'RabbitMQ', 'Consul', 'Vault'];
const reasons = ['latency', 'its price', 'the licence', 'a migration', 'an audit', 'disk space', 'the new contract', 'support hours'];

/** told are the kinds of sentences that people say, of which each is a fact. */
const told = [
  (i, talk) => `We chose ${tools[i % 10]} for project ${i} because of ${reasons[i % 8]}.`,
  (i, talk) => `The limit of queue ${i} is ${i % 977} requests.`,
  (i, talk) => `I prefer plan ${i % 613} for the team in room ${i}.`,
  (i, talk) => `Server ${i} runs ${tools[(i + 3) % 10]} in hall ${i % 41}.`,
  (i, talk) => `What if we moved project ${i} to hall ${i % 41}?`,
  (i, talk) => `We switched project ${i - 5} from ${tools[(i - 5) % 10]} to ${tools[(i + 1) % 10]} because of ${reasons[i % 8]}.`,
  (i, talk) => `${talk.sentence()}`,
];

/** transcript yields messages in batches: what people say, and short answers. */
function* transcript(count, batch = 500) {
  const talk = filler(7);
  const begun = Date.UTC(2023, 0, 1);
  for (let first = 0; first < count; first += batch) {
    yield Array.from({ length: Math.min(batch, count - first) }, (_, i) => {
      const n = first + i;
      const content = n % 2 ? `Noted. ${'It is told at some length. '.repeat(n % 7)}` : told[(n / 2) % told.length](n / 2 + 10, talk);
      return { role: n % 2 ? 'assistant' : 'user', content, created_at: new Date(begun + n * 900_000).toISOString() };
    });
  }
}

const add = (server, id, messages, headers = {}) => server.api(`/api/sessions/${id}/messages`, { method: 'POST', body: { messages }, headers });

/** fillLong gives a session and a session key as many messages as are asked for. */
export async function fillLong(server, { id = 'long', key = 'team:long', messages }) {
  for (const some of transcript(messages)) await add(server, id, some, { 'x-hermes-session-key': key });
}

/** fillSessions makes sessions of two messages. */
export async function fillSessions(server, count) {
  const talk = filler(9);
  for (let i = 0; i < count; i += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - i) }, (_, k) => add(server, `s${i + k}`, [
      { role: 'user', content: `${talk.question()} (${i + k})` }, { role: 'assistant', content: 'I do not know.' }])));
  }
}

/** fillHuge makes a session with a message of some bytes between two short ones. */
export async function fillHuge(server, bytes) {
  const line = 'This is a long line of a long message, and it is one of very many. ';
  await add(server, 'huge', [
    { role: 'user', content: 'Here is the log.' }, { role: 'assistant', content: line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes) }, { role: 'user', content: 'Thank you.' }]);
}
