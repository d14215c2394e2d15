// A home with something in it: sessions, a memory with reversals, jobs, runs and keys.
// The tests of the page and its pictures look at it.
import { startHermes } from './hermes.mjs';
import { startPages } from './page.mjs';
import { startUpstream } from './upstream.mjs';

const key = 'repo:acme/cache';

const said = [
  ['2026-08-03T10:12:00Z', 'My name is Alex.'],
  ['2026-08-03T10:13:00Z', 'I am building a distributed cache in Rust.'],
  ['2026-08-07T09:30:00Z', 'Always answer with the trade-off first.'],
  ['2026-08-09T10:26:00Z', 'We added Redis in front of Postgres because reads were slow.'],
  ['2026-08-13T11:05:00Z', 'We decided to use gRPC between the nodes.'],
  ['2026-08-17T14:00:00Z', 'The p99 target for reads is 4 ms.'],
  ['2026-08-21T16:40:00Z', 'I prefer tabs over spaces.'],
  ['2026-09-01T08:55:00Z', 'Mira owns the client library.'],
  ['2026-09-08T12:40:00Z', 'Commit: removed Redis cache because invalidation bugs caused stale prices.'],
  ['2026-09-17T15:20:00Z', 'We upgraded to PostgreSQL 16 because of logical replication slots.'],
  ['2026-09-29T09:10:00Z', 'What if we used Raft with joint consensus?'],
  ['2026-10-11T13:33:00Z', 'We switched from gRPC to REST because the proxies kept dropping HTTP/2 streams.'],
  ['2026-11-10T10:00:00Z', 'We decided to ship the client as a static library.'],
];

/** answer is a model's answer with everything that Markdown has. */
export const answer = [
  'Three things changed, and each has a reason on record.',
  '',
  '1. **Redis is gone.** You removed it because *invalidation bugs caused stale prices*; before that it stood in front of Postgres, because reads were slow.',
  '2. **gRPC became REST**, because the proxies kept dropping HTTP/2 streams.',
  '3. **PostgreSQL is SQLite** from today on: one node holds all the metadata.',
  '',
  'What is left to do is the client’s retry. A bounded backoff is enough here:',
  '',
  '```go',
  '// Retry calls f until it succeeds, with a pause that doubles up to max.',
  'func Retry(ctx context.Context, max time.Duration, f func() error) error {',
  '\tfor pause := 50 * time.Millisecond; ; pause = min(2*pause, max) {',
  '\t\terr := f()',
  '\t\tif err == nil || ctx.Err() != nil {',
  '\t\t\treturn err',
  '\t\t}',
  '\t\ttime.Sleep(pause)',
  '\t}',
  '}',
  '```',
  '',
  '| layer | before | now |',
  '|---|---|---|',
  '| cache | Redis | none |',
  '| protocol | gRPC | REST |',
  '| metadata | PostgreSQL | SQLite |',
  '',
  '> The staging server is in Linz since October; the runbook still says Graz.',
].join('\n');

/** reply is what the scripted model says in the scene. */
export function reply(body) {
  const last = body.messages.at(-1);
  const text = typeof last.content === 'string' ? last.content : JSON.stringify(last.content);
  if (last.role === 'tool') return { text: 'It is noted, and the deploy waits for the freeze to end.' };
  if (/freeze/.test(text)) return { toolCalls: [{ id: 'call_freeze', name: 'memory', args: { action: 'save', statement: 'The deploy freeze ends on 4 January.' } }] };
  if (/switched from PostgreSQL/.test(text)) return { text: answer };
  if (/staging server/.test(text)) return { text: 'In **Linz**. It was in Graz until you said otherwise in October; the runbook may still name Graz.' };
  return { text: 'Noted.' };
}

/** settings let the model call a tool that waits for a person. */
const settings = { HERMES_TOOLS: 'session_search,memory', HERMES_TOOLS_APPROVE: 'memory' };

/**
 * startScene is a browser, a scripted model, and a server that has the scene. The clocks of
 * zone are those of who looks; with waits, a call of a run waits for a person.
 */
export async function startScene({ zone, answers = reply, model = 'scripted-model', waits = false } = {}) {
  const started = [];
  const close = async () => { for (const end of started) await end(); };
  try {
    const pages = await startPages({ zone });
    started.push(() => pages.close());
    const upstream = await startUpstream({ reply: answers });
    started.push(() => upstream.close());
    const env = { HERMES_UPSTREAM_URL: upstream.url, HERMES_MODEL: model, ...settings };
    const server = await startHermes({ env });
    started.splice(1, 0, () => server.kill()); // before the model that it asks
    const scene = await tell(server);
    if (waits) scene.run = await waiting(server);
    return { pages, server, scene, env, close };
  } catch (err) {
    await close(); // an open browser would keep the tests from ending
    throw err;
  }
}

/** tell fills a server with the scene. */
export async function tell(server, { secret = 'hermes' } = {}) {
  const api = (path, options) => server.api(path, { key: secret, ...options });
  const messages = said.flatMap(([at, content], i) => [
    { role: 'user', content, created_at: at },
    ...(i % 3 === 1 ? [{ role: 'assistant', content: 'Noted.', created_at: at }] : []),
  ]);
  await add(server, 'cache', key, messages, secret);
  await add(server, 'groceries', undefined, [
    { role: 'user', content: 'I do not eat fish.', created_at: '2026-11-20T18:00:00Z' },
    { role: 'assistant', content: 'Noted: no fish.', created_at: '2026-11-20T18:00:05Z' }], secret);
  await add(server, 'release', undefined, [{ role: 'user', content: 'The release is on 3 December.', created_at: '2026-11-24T08:00:00Z' }], secret);
  await api('/api/sessions/cache', { method: 'PATCH', body: { title: 'Distributed cache in Rust' } });
  await run(server, { session_id: 'cache', input: 'We switched from PostgreSQL to SQLite because the metadata fits on one node. What changed since summer?' }, secret);
  await run(server, { session_id: 'cache', input: 'Where is the staging server now?' }, secret);
  await api('/api/jobs', { method: 'POST', body: { name: 'weekly-report', schedule: 'every monday 9am', timezone: 'Europe/Berlin', prompt: 'Which decisions of the past week were reversed, and why?', session_id: 'cache' } });
  const { job } = await api('/api/jobs', { method: 'POST', body: { name: 'standup', schedule: 'every weekday 9am', timezone: 'Asia/Tokyo', prompt: 'What is open?' } });
  await api(`/api/jobs/${job.id}/run`, { method: 'POST' });
  return { job: job.id, key };
}

/** waiting starts a run in which a call waits for a person, and gives its id. */
export async function waiting(server, session = 'freeze', secret = 'hermes') {
  const { run_id: id } = await server.api('/v1/runs', { method: 'POST', key: secret, body: { session_id: session, input: 'Remember when the freeze ends.' } });
  await until(async () => (await server.api(`/v1/runs/${id}`, { key: secret })).status === 'waiting_for_approval');
  return id;
}

async function add(server, id, sessionKey, messages, secret) {
  const response = await fetch(`${server.url}/api/sessions/${id}/messages`, {
    method: 'POST', body: JSON.stringify({ messages }),
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...(sessionKey && { 'x-hermes-session-key': sessionKey }) },
  });
  if (!response.ok) throw new Error(await response.text());
}

async function run(server, body, secret) {
  const { run_id: id } = await server.api('/v1/runs', { method: 'POST', body, key: secret });
  await until(async () => (await server.api(`/v1/runs/${id}`, { key: secret })).finished_at !== null);
}

/** until asks again until something is so. */
export async function until(so, limit = 10_000) {
  for (const end = Date.now() + limit; Date.now() < end;) {
    const value = await so();
    if (value) return value;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  throw new Error('it did not become so in time');
}
