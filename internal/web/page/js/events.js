// Server-sent events, read with a reader: the log of a run, and what changes on the
// server. A stream that breaks off goes on behind its last event.
import { address, auth, failure, lost, Problem, reachable, signedIn, stranger } from './api.js';
import { setClock } from './words.js';

/**
 * @param {(event: ServerEvent) => void} tell
 * @returns {(text: string) => void}
 */
export function parts(tell) {
  let rest = '';
  let id = '';
  return (text) => {
    rest += text;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const block = rest.slice(0, end);
      rest = rest.slice(end + 2);
      let [type, data] = ['', ''];
      for (const line of block.split('\n')) {
        if (line.startsWith('id:')) id = line.slice(3).trim();
        else if (line.startsWith('event:')) type = line.slice(6).trim();
        else if (line.startsWith('data:')) data += line.slice(5).trimStart();
      }
      if (data) tell({ id, type, data: data === '[DONE]' ? null : JSON.parse(data) });
    }
  };
}

/** @param {Response} answer @param {(event: ServerEvent) => void} tell */
export async function read(answer, tell) {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) throw stranger(answer);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  const take = parts(tell);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(decoder.decode(value, { stream: true }));
  }
}

const shown = () => new Promise((resolve) => {
  if (!document.hidden) return resolve(undefined);
  document.addEventListener('visibilitychange', () => resolve(undefined), { once: true });
  return undefined;
});

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/**
 * slot takes a place for a stream. A browser has six connections to a server for all of its
 * windows: three may listen for changes, two for answers, and one is left for what is asked.
 * What it gives frees the place; undefined if none is free. Plain http of another machine
 * knows no locks.
 * @param {boolean} changes
 */
async function slot(changes) {
  if (!navigator.locks) return () => {};
  for (const n of changes ? [0, 1, 2] : [3, 4]) {
    const free = await new Promise((got) => {
      navigator.locks.request(`stream ${n}`, { ifAvailable: true }, (lock) => (lock ? new Promise((done) => { got(done); }) : got(undefined)));
    });
    if (free) return free;
  }
  return undefined;
}

/**
 * follow reads a stream of events, as long as the tab is seen, and goes on after
 * failures. What it returns ends it.
 * @param {Feed} feed
 */
export function follow(feed) {
  let [over, last, heard] = [false, '', false];
  let stop = new AbortController();
  const hide = () => { if (document.hidden) stop.abort(); };
  document.addEventListener('visibilitychange', hide);
  const end = () => {
    over = true;
    stop.abort();
    document.removeEventListener('visibilitychange', hide);
  };
  const once = async () => {
    stop = new AbortController();
    const headers = { ...auth(), ...(last ? { 'last-event-id': last } : {}) };
    const answer = await fetch(address(feed.path, feed.query), { headers, signal: stop.signal, credentials: 'omit', cache: 'no-store' });
    setClock(answer.headers.get('date'));
    if (answer.status === 204) return end();
    if (!answer.ok) throw await failure(answer);
    heard = false;
    await read(answer, (event) => {
      if (over) return;
      heard = true;
      if (event.id) last = event.id;
      if (feed.tell(event)) end();
    });
    return undefined;
  };
  const go = async () => {
    let waited = false;
    for (let tries = 0; !over; tries++) {
      await shown();
      const free = await slot(Boolean(feed.late));
      if (!free) {
        waited = true;
        await pause(1000);
        continue;
      }
      if (waited) feed.late?.();
      waited = false;
      try {
        await once();
        if (heard) tries = 0;
        else await pause(backOff(tries)); // something ends the stream at once
      } catch (err) {
        if (over || stop.signal.aborted) continue;
        if (await hopeless(err, tries)) {
          end();
          feed.failed?.(err);
        }
      } finally {
        free();
      }
      if (!over) await pause(200);
    }
  };
  go();
  return end;
}

/** @param {number} tries */
const backOff = (tries) => 1000 * Math.min(tries + 1, 10);

// hopeless waits until a feed may be read again, and reports whether it never may.
/** @param {unknown} err @param {number} tries */
async function hopeless(err, tries) {
  if (!(err instanceof Problem) || err.status === 0) {
    lost();
    await reachable();
    return false;
  }
  if (err.status === 401 && !err.foreign) {
    await signedIn();
    return false;
  }
  if (err.foreign || err.status === 429 || err.status >= 500) {
    await pause(Math.max(err.retryAfter * 1000, backOff(tries)));
    return false;
  }
  return true;
}

/** @type {Map<string, Set<(data: any) => void>>} */
const listeners = new Map();

/**
 * on is told what changes on the server: of one type, or "reset" when all must be read
 * anew. What it returns ends that.
 * @param {string} type @param {(data: any) => void} f
 */
export function on(type, f) {
  const set = listeners.get(type) ?? new Set();
  listeners.set(type, set);
  set.add(f);
  return () => { set.delete(f); };
}

/** @param {string} type @param {any} data */
export function tellAll(type, data) {
  for (const f of listeners.get(type) ?? []) f(data);
}

export function watch() {
  return follow({
    path: 'api/events',
    late: () => tellAll('reset', {}),
    tell: ({ type, data }) => {
      if (type === 'change') tellAll(data.type, data);
      if (type === 'reset') tellAll('reset', data);
    },
  });
}
