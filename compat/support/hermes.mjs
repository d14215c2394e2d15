// A hermes server of a test's own: its own home, its own port, gone afterwards.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const binary = process.env.HERMES_BIN;
if (!binary || !existsSync(binary)) {
  throw new Error('HERMES_BIN does not name the server: run these tests with compat/run');
}

const startLimit = 20_000; // milliseconds; a start takes a few dozen

// What is still there when the tests end is removed, whatever ended them.
const children = new Set();
const homes = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

/** newHome makes an empty data directory that is removed at the end. */
export function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'hermes-'));
  homes.add(home);
  return home;
}

/**
 * startHermes runs `hermes serve` and returns once it answers. By default it
 * listens on a free port and looks for no model on this machine; env and args
 * are added to that. With bare it is given nothing but its home. Another program than the
 * one under test may be named.
 */
export async function startHermes({ home = newHome(), env = {}, args = [], bare = false, program = binary } = {}) {
  const settings = bare ? {} : { HERMES_ADDR: '127.0.0.1:0', HERMES_PROBE: 'false' };
  const child = spawn(program, ['serve', ...args], {
    env: { PATH: process.env.PATH, HOME: home, HERMES_HOME: home, ...settings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const server = new Hermes(child, home);
  await server.ready();
  return server;
}

class Hermes {
  #child;
  #output = '';
  #exited;

  constructor(child, home) {
    this.#child = child;
    this.home = home;
    for (const part of this.#parts()) part.unref(); // a test that fails before it ends this must still end
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.setEncoding('utf8').on('data', (text) => { this.#output += text; });
    }
    this.#exited = new Promise((resolve) => {
      child.once('error', (err) => { this.#output += err.message; });
      child.once('close', (code, signal) => {
        children.delete(child);
        resolve({ code, signal });
      });
    });
  }

  /** output is everything the server has printed. */
  get output() { return this.#output; }

  /** ready waits for GET /health of this very process. */
  async ready() {
    const deadline = Date.now() + startLimit;
    for (;;) {
      const address = this.#address();
      if (address) {
        this.url = `http://${address}`;
        this.baseURL = `${this.url}/v1`;
        const health = await fetch(`${this.url}/health`).catch(() => undefined);
        if (health?.ok) return;
      }
      if (this.#child.exitCode !== null) {
        throw new Error(`hermes serve ended with ${this.#child.exitCode}:\n${this.#output}`);
      }
      if (Date.now() > deadline) {
        this.#child.kill('SIGKILL');
        throw new Error(`hermes serve did not answer within ${startLimit} ms:\n${this.#output}`);
      }
      await pause(20);
    }
  }

  // #address is where the server says it is. The file of a killed server stays
  // behind, so the process id must be right.
  #address() {
    try {
      const said = JSON.parse(readFileSync(join(this.home, 'server.json'), 'utf8'));
      return said.pid === this.#child.pid ? said.address : undefined;
    } catch {
      return undefined;
    }
  }

  /** api calls an endpoint outside the OpenAI surface and returns its JSON. */
  async api(path, { method = 'GET', body, key = 'hermes', headers = {} } = {}) {
    const response = await fetch(this.url + path, {
      method, body: body && JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** session is what the server knows of a session id. */
  session(id) { return this.api(`/api/sessions/${encodeURIComponent(id)}`); }

  /** stop ends the server as an operator does. */
  async stop() {
    const { code, signal } = await this.#end('SIGTERM');
    if (code !== 0) throw new Error(`hermes serve ended with ${code ?? signal}:\n${this.#output}`);
  }

  /** kill ends the server as a power cut does. */
  async kill() { await this.#end('SIGKILL'); }

  #end(signal) {
    for (const part of this.#parts()) part.ref();
    this.#child.kill(signal);
    return this.#exited;
  }

  // #parts are what would keep this process from ending before the server's does.
  #parts() { return [this.#child, this.#child.stdout, this.#child.stderr]; }
}
