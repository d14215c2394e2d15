// A bridge between a chat platform and Hermes, for Node 20 or later, without packages.
//
//   HERMES_KEY=... PLATFORM_URL=https://chat.example.org/send node bridge.mjs 8090
//
// The platform sends each message to http://this-machine:8090/ as
//   {"id": "m1", "chat": "room-7", "type": "dm", "user": "u42", "name": "Alex", "text": "Hello"}
// and gets the answer at PLATFORM_URL as
//   {"id": "run_4f", "chat": "room-7", "answer_to": "m1", "text": "Hi Alex."}
//
// The bridge keeps nothing. Hermes knows the messages by their ids, so that a message may come
// twice, and the bridge may ask again after any failure: the answer is the same, and there is
// one turn. For your platform, change fromPlatform and toPlatform.
import { createServer } from 'node:http';

const hermes = process.env.HERMES_URL ?? 'http://localhost:11434';
const key = process.env.HERMES_KEY ?? 'hermes';
const platform = process.env.PLATFORM_NAME ?? 'mychat';
const admins = (process.env.ADMINS ?? '').split(','); // ids of the people who may use /forget, and change things in groups
const platformURL = process.env.PLATFORM_URL ?? 'http://localhost:8091/';

/** fromPlatform is a message of the platform as Hermes takes it. */
function fromPlatform(m) {
  return { platform, event_id: m.id, chat_id: m.chat, chat_type: m.type, user_id: m.user, user_name: m.name, admin: admins.includes(m.user), thread_id: m.thread, text: m.text };
}

/**
 * toPlatform sends an answer. Its id lets the platform notice an answer that comes twice, also
 * one to several messages that were sent within a second.
 */
function toPlatform(m, event) {
  return post(platformURL, {}, { id: event.run_id ?? m.id, chat: m.chat, answer_to: m.id, text: event.answer });
}

/** post sends JSON, and returns the response. It fails for a response that is worth another try. */
async function post(url, headers, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
  if (response.status === 429 || response.status >= 500) throw new Error(`${url} answered ${response.status}`);
  return response;
}

/** again tries until it works: after 1 second, 2, 4, and so on, up to a minute. */
async function again(what, work) {
  for (let wait = 1000; ; wait = Math.min(wait * 2, 60_000)) {
    try {
      return await work();
    } catch (err) {
      console.error(`${what}: ${err.message}; next try in ${wait / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** ask shows the calls of tools that wait for an approval, and how people decide. Each is shown once. */
async function ask(m, event, asked) {
  for (const call of event.approvals.filter((call) => !asked.has(call.call_id))) {
    asked.add(call.call_id);
    const answer = `May I run ${call.name} with ${JSON.stringify(call.arguments)}? Write ${call.approve} or ${call.deny}.`;
    await again(`question to ${m.id}`, () => toPlatform(m, { run_id: `${event.run_id} ${call.call_id}`, answer }));
  }
}

/** pass takes a message to Hermes, and its answer back. */
async function pass(m) {
  for (const asked = new Set(); ; await new Promise((resolve) => setTimeout(resolve, 2000))) {
    const response = await again(`message ${m.id}`, () =>
      post(`${hermes}/gateway/webhook?wait=1`, { Authorization: `Bearer ${key}` }, fromPlatform(m)));
    const event = await response.json();
    if (!response.ok) return console.error(`message ${m.id} was refused: ${event.error?.message}`);
    if (event.status === 'waiting_for_approval') {
      await ask(m, event, asked);
      continue; // people decide by a message of their own
    }
    if (event.answer !== null) await again(`answer to ${m.id}`, () => toPlatform(m, event));
    return undefined;
  }
}

createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  try {
    const m = JSON.parse(body);
    response.writeHead(202).end();
    await pass(m);
  } catch (err) {
    console.error(err.message);
    if (!response.headersSent) response.writeHead(400).end('This is no message in JSON.\n');
  }
}).listen(Number(process.argv[2] ?? 8090), () => console.log('The bridge listens.'));
