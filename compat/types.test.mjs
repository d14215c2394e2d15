// The page's scripts name their types in comments, and the TypeScript compiler checks them.
// The types that they share are in a file of their own.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const scripts = join(here, '../internal/web/page/js');
const shared = join(here, '../internal/web/page.d.ts');

// check runs the compiler on scripts, and returns what it says.
const check = (files) => spawnSync(process.execPath, [
  join(here, 'node_modules/typescript/bin/tsc'), '--noEmit', '--allowJs', '--checkJs', '--strict', '--target', 'es2022',
  '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable', shared, ...files,
], { encoding: 'utf8', cwd: dirname(files[0]) }); // not here: the page knows no types of Node

const files = readdirSync(scripts).filter((name) => name.endsWith('.js'));

it('finds no error in the types of the page', () => {
  assert.ok(files.length > 20, `only ${files.length} scripts are seen`);
  const got = check(files.map((name) => join(scripts, name)));
  assert.equal(got.status, 0, got.stdout);
});

it('says which functions have no types', () => {
  const dir = mkdtempSync(join(tmpdir(), 'types-'));
  for (const name of files) writeFileSync(join(dir, name), readFileSync(join(scripts, name)));
  const words = join(dir, 'words.js');
  writeFileSync(words, `${readFileSync(words, 'utf8')}\nexport const twice = (n) => n.missing;\n`);
  const got = check([words]);
  assert.match(got.stdout, /words\.js.*TS7006/);
});
