// The database can be read with the sqlite3 that a distribution ships, also after
// deletions: Debian 12 has version 3.40, which is older than some options of FTS5.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startHermes } from './support/hermes.mjs';

describe('a stock sqlite3', () => {
  let server;
  const call = async (method, path, body) => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { Authorization: 'Bearer hermes', 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer.json();
  };
  const ask = (query) => execFileSync('sqlite3', [join(server.home, 'state.db'), query], { encoding: 'utf8' }).trim();

  before(async () => {
    server = await startHermes();
    for (const [id, content] of [['kept', 'The heron stands in the river.'], ['gone', 'The heron flies away.'], ['changed', 'A heron. The zebra runs.']]) {
      await call('POST', `/api/sessions/${id}/messages`, { messages: [{ role: 'user', content }] });
    }
    await call('GET', '/api/search?q=heron'); // until all is indexed
    await call('DELETE', '/api/sessions/gone');
    assert.equal((await call('POST', '/api/memory/forget', { about: 'zebra' })).left, 0);
    await call('GET', '/api/search?q=heron');
  });
  after(() => server?.stop());

  it('searches the text index after a deletion and a forgetting', () => {
    assert.equal(ask("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'heron'"), '2');
    assert.equal(ask("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'zebra OR flies'"), '0');
  });

  it('reads the messages', () => {
    assert.equal(ask('SELECT count(*) FROM messages'), '2');
  });
});
