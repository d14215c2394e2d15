// Coding agents do one task each with their default settings, and remember it in another
// directory. A scripted model calls the agent's shell once.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHermes } from '../support/hermes.mjs';
import { startUpstream } from '../support/upstream.mjs';

const bin = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '.bin');
const task = 'My sister is called Wilhelmina. Now write the file of this task.';
const question = 'What is my sister called?';

// The shells of the agents, and the arguments with which each writes a file.
const shells = {
  exec_command: (cmd) => ({ cmd }),
  shell: (cmd) => ({ command: ['bash', '-lc', cmd] }),
  shell_command: (command) => ({ command }),
  bash: (command) => ({ command, description: 'Writes a file' }),
  Bash: (command) => ({ command, description: 'Writes a file' }),
};

const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n'));

// A model that writes done.txt with the agent's shell when it is given the task, and else
// answers at once.
function reply(body) {
  const asked = textOf(body.messages.findLast((m) => m.role === 'user')?.content);
  const shell = (body.tools ?? []).map((tool) => tool.function?.name).find((name) => shells[name]);
  if (shell && asked.includes(task) && body.messages.at(-1).role !== 'tool') {
    return { toolCalls: [{ id: 'call_1', name: shell, args: shells[shell]('echo written > done.txt') }] };
  }
  return { text: 'It is done.' };
}

const products = {
  'Codex CLI': {
    configure: (home, at) => {
      mkdirSync(join(home, '.codex'));
      writeFileSync(join(home, '.codex', 'config.toml'), [
        'model = "hermes"', 'model_provider = "hermes"', '[model_providers.hermes]', 'name = "Hermes"', `base_url = "${at.baseURL}"`,
        'env_key = "HERMES_KEY"', '',
      ].join('\n'));
    },
    command: (prompt) => ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
  },
  opencode: {
    configure: (home, at) => {
      mkdirSync(join(home, '.config', 'opencode'), { recursive: true });
      writeFileSync(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify({
        provider: { hermes: { npm: '@ai-sdk/openai-compatible', name: 'Hermes', options: { baseURL: at.baseURL, apiKey: at.key }, models: { hermes: {} } } },
        model: 'hermes/hermes',
      }));
    },
    command: (prompt) => ['opencode', 'run', prompt],
  },
  'Claude Code': {
    configure: () => {},
    env: (at) => ({ ANTHROPIC_BASE_URL: at.url, ANTHROPIC_API_KEY: at.key }),
    command: (prompt) => ['claude', '--allowedTools', 'Bash', '--print', prompt],
  },
};

for (const [name, product] of Object.entries(products)) {
  describe(name, () => {
    const at = {};
    let home;
    const run = (directory, prompt) => new Promise((resolve, reject) => {
      const [program, ...args] = product.command(prompt);
      const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), HERMES_KEY: at.key, ...product.env?.(at) };
      const child = execFile(join(bin, program), args, { cwd: directory, env, timeout: 120_000 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${program}: ${error.message}\n${stdout}\n${stderr}`));
        else resolve(stdout);
      });
      child.stdin.end();
    });
    const newDirectory = () => mkdtempSync(join(tmpdir(), 'work-'));
    const chats = () => at.upstream.calls.filter((call) => call.body.tools?.length > 0);
    let first;

    before(async () => {
      at.upstream = await startUpstream({ reply });
      at.server = await startHermes({ env: { HERMES_UPSTREAM_URL: at.upstream.url, HERMES_MODEL: 'scripted-model' } });
      at.baseURL = at.server.baseURL;
      at.url = at.server.url;
      at.key = (await at.server.api('/api/keys', { method: 'POST', body: { name: 'agent', owner: 'local', session_key: 'me', scopes: ['chat', 'sessions:read', 'memory', 'admin'] } })).key;
      home = mkdtempSync(join(tmpdir(), 'home-'));
      product.configure(home, at);
      first = newDirectory();
    });
    after(async () => {
      await at.server?.stop();
      await at.upstream?.close();
    });

    it('does a task without a retry', async () => {
      await run(first, task);
      assert.equal(readFileSync(join(first, 'done.txt'), 'utf8').trim(), 'written');
      assert.equal(chats().length, 2, 'one call for the command, and one with its result');
      assert.ok(at.upstream.calls.length <= 3, `got ${at.upstream.calls.length} calls of the model, want at most one more than the turns`);
      const last = chats().at(-1).body.messages;
      assert.equal(last.at(-1).role, 'tool');
      assert.ok(last.some((m) => m.role === 'user' && textOf(m.content).includes(task)), 'the task stands in front of its result');
    });

    it('knows a fact of it in another directory', async () => {
      const before = at.upstream.calls.length;
      await run(newDirectory(), question);
      const sent = at.upstream.calls.slice(before).filter((call) => call.body.tools?.length > 0);
      assert.equal(sent.length, 1);
      const memory = sent[0].body.messages.find((m) => textOf(m.content).startsWith('[Memory: '));
      assert.ok(textOf(memory?.content).includes('Wilhelmina'), 'memory came along');
    });

    it('keeps each message once, and no task of the agent itself', async () => {
      const { data } = await at.server.api('/api/sessions', { key: at.key });
      assert.equal(data.length, 2, `got the sessions ${JSON.stringify(data.map((s) => s.title))}`);
      const texts = [];
      for (const s of data) {
        const messages = await at.server.api(`/api/sessions/${encodeURIComponent(s.id)}/messages?limit=200`, { key: at.key });
        texts.push(...messages.data.filter((m) => m.role === 'user').map((m) => m.content));
      }
      assert.equal(texts.filter((text) => text.includes(task)).length, 1);
      assert.equal(texts.filter((text) => text.includes(question)).length, 1);
    });
  });
}
