// The only way to the server, together with events.js: requests, their failures, and
// waiting until the server is there, or until somebody has signed in.
import { change, kept, state, tab } from './store.js';
import { now, setClock } from './words.js';

/** Problem is a request that failed, as a person needs to know it. */
export class Problem extends Error {
  /** @param {{status: number, code?: string, message: string, requestID?: string, retryAfter?: number, param?: string, foreign?: boolean}} of */
  constructor(of) {
    super(of.message);
    this.status = of.status;
    this.code = of.code ?? '';
    this.requestID = of.requestID ?? '';
    this.retryAfter = of.retryAfter ?? 0;
    this.param = of.param ?? '';
    /** whether these are not the server's own words, but those of something before it */
    this.foreign = of.foreign ?? false;
  }

  /** about is how those who look after the server find it. */
  get about() { return [this.code, this.requestID && `request ${this.requestID}`].filter(Boolean).join(', '); }
}

/** problemOf is a failure as a person needs to know it: what is none of a request's is the page's own. @param {unknown} err */
export function problemOf(err) {
  if (err instanceof Problem) return err;
  console.error(err);
  return new Problem({ status: -1, code: 'page_error', message: 'This page has failed. Reload it; if it fails again, report it as a bug.' });
}

let token = '';

export function auth() { return bearer(token); }

/** @param {string} text @returns {Record<string, string>} */
function bearer(text) {
  return text ? { authorization: `Bearer ${text}` } : {};
}

/** setToken takes a token, and keeps it: for longer, if one stays signed in. @param {string} text @param {boolean} stay */
export function setToken(text, stay) {
  token = text;
  tab.set('token', stay ? null : text);
  kept.set('token', stay ? text : null);
}

/** @param {string} text */
export function useToken(text) { token = text; }

export const oldToken = () => tab.get('token') ?? kept.get('token') ?? '';

/** @param {string} path @param {Record<string, any>} [query] */
export function address(path, query) {
  const given = Object.entries(query ?? {}).filter(([, v]) => v !== undefined && v !== null && v !== '' && v !== false);
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([k, v]) => [k, String(v)]))}`;
}

/** @type {Set<() => void>} who waits for the server */
const waiting = new Set();
let looking = false;

/** reachable resolves once the server answers again. @returns {Promise<void>} */
export function reachable() {
  if (!state.offline) return Promise.resolve();
  return new Promise((resolve) => { waiting.add(resolve); });
}

const healthy = () => fetch('health', { credentials: 'omit', cache: 'no-store' }).then((answer) => answer.ok, () => false);

/** lost notes that the server could not be reached, and looks for it until it can. */
export async function lost() {
  state.offline = true;
  change();
  if (looking) return;
  looking = true;
  for (let pause = 500; ; pause = Math.min(pause * 1.5, 8000)) {
    await new Promise((resolve) => { setTimeout(resolve, pause); });
    if (await healthy()) break;
  }
  looking = false;
  state.offline = false;
  change();
  for (const go of waiting) go();
  waiting.clear();
}

/** @type {Promise<void> | null} */
let signingIn = null;
let signIn = () => Promise.resolve();

/** @param {() => Promise<void>} f */
export function onSignIn(f) { signIn = f; }

/** signedIn asks for a key, once for all who wait for it. */
export function signedIn() {
  signingIn ??= signIn().finally(() => { signingIn = null; });
  return signingIn;
}

/** offline is a request that has not reached the server. */
function offline() {
  lost();
  return new Problem({ status: 0, code: 'offline', message: 'The server cannot be reached.' });
}

/** stranger is an answer that is not the server's own. @param {Response} answer */
export function stranger(answer) {
  return new Problem({
    status: answer.status, foreign: true, retryAfter: seconds(answer.headers.get('retry-after')),
    message: `Not the server but something before it, such as a proxy, has answered with ${answer.status}. Try again; if this stays, load the page again, or ask who runs the proxy.`,
  });
}

/** seconds reads a Retry-After, which is a number or a date. @param {string | null} text */
function seconds(text) {
  const n = Number(text ?? 0);
  return Number.isNaN(n) ? Math.max(0, Math.ceil((new Date(text ?? '').getTime() - now()) / 1000)) || 0 : n;
}

/** @param {Response} answer */
export async function failure(answer) {
  const text = await answer.text().catch(() => '');
  let error = null;
  try { error = JSON.parse(text).error; } catch { /* not the server's own words */ }
  if (typeof error?.message === 'string') {
    return new Problem({
      status: answer.status, code: error.code ?? '', param: error.param ?? '', message: error.message,
      requestID: answer.headers.get('x-request-id') ?? '', retryAfter: seconds(answer.headers.get('retry-after')),
    });
  }
  // A proxy whose server is away says so in its own words.
  if ([502, 503, 504].includes(answer.status) && !(await healthy())) return offline();
  return stranger(answer);
}

/**
 * send asks the server, and waits for a sign-in if one is needed.
 * @param {string} method @param {string} path @param {Options} [options]
 */
export async function send(method, path, options = {}) {
  for (;;) {
    const used = token;
    const headers = { ...(options.as === undefined ? auth() : bearer(options.as)), ...options.headers };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    let answer;
    try {
      answer = await fetch(address(path, options.query), {
        method, headers, signal: options.signal, credentials: 'omit', cache: 'no-store',
        body: options.body === undefined ? undefined : JSON.stringify(options.body),
      });
    } catch (err) {
      throw options.signal?.aborted ? err : offline();
    }
    setClock(answer.headers.get('date'));
    if (answer.ok) return answer;
    const problem = await failure(answer);
    if (problem.status !== 401 || problem.foreign || options.bare) throw problem;
    if (used === token) await signedIn();
  }
}

/** @param {string} method @param {string} path @param {Options} [options] */
async function json(method, path, options) {
  const answer = await send(method, path, options);
  if (answer.status === 204) return null;
  try {
    return await answer.json();
  } catch (err) {
    if (options?.signal?.aborted) throw err;
    throw err instanceof SyntaxError ? stranger(answer) : offline(); // HTML, or cut off
  }
}

/** @param {string} path @param {Record<string, any>} [query] @param {AbortSignal} [signal] */
export const get = (path, query, signal) => json('GET', path, { query, signal });
/** @param {string} path @param {any} [body] @param {Options} [options] */
export const post = (path, body = {}, options = {}) => json('POST', path, { ...options, body });
/** @param {string} path @param {any} body @param {Options} [options] */
export const patch = (path, body, options = {}) => json('PATCH', path, { ...options, body });
/** @param {string} path @param {Options} [options] */
export const remove = (path, options = {}) => json('DELETE', path, options);

/** @param {string} id */
export const part = (id) => (id === 'new' ? '%6Eew' : encodeURIComponent(id)); // #/sessions/new is another thing
