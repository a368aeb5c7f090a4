import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { describeWith } from '../support/tools.js';
import { beside, saying } from './malote.js';

const cli = beside({});

async function scriptOf(shell: string): Promise<string> {
  const { code, out } = await cli.run(['completion', shell]);
  expect(code).toBe(0);
  const path = join(cli.folder, `malote.${shell}`);
  await writeFile(path, out);
  return path;
}

const cases: readonly (readonly [typed: string, offered: readonly string[], others: readonly string[]])[] = [
  ['malote ord', ['orders'], ['packages']],
  ['malote orders ', ['list', 'show', 'status', 'cancel'], ['create']],
  ['malote --json orders li', ['list'], ['status']],
  ['malote orders list --st', ['--status'], ['--from']],
  ['malote orders list --status o', ['out_for_delivery'], ['created', '--status']],
  ['malote completion ', ['bash', 'zsh'], ['orders']],
  ['malote endpoints list --state ', ['active', 'disabled'], ['--state']],
];

test('bash loads the completion without an error, and completes commands, options and their values', async () => {
  const path = await scriptOf('bash');
  const words = cases.map(([typed]) => {
    const list = typed.split(' ');
    const quoted = list.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${list.length - 1}; _malote; echo "\${COMPREPLY[*]}"`;
  });
  const script = `set -u; source '${path}'; complete -p malote >/dev/null; ${words.join('; ')}`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script]);
  expect(stderr).toBe('');
  for (const [at, line] of stdout.trimEnd().split('\n').entries()) {
    const [typed, offered = [], others = []] = cases[at] ?? [];
    const candidates = line.split(' ');
    expect({ typed, candidates }).toEqual({ typed, candidates: expect.arrayContaining([...offered]) });
    expect(candidates.filter((word) => others.includes(word))).toEqual([]);
  }
  expect(stdout.trimEnd().split('\n')).toHaveLength(cases.length);
});

describeWith('zsh', 'in zsh', (zsh) => {
  test('the completion loads without an error, and offers the same words as in bash, with descriptions', async () => {
    const path = await scriptOf('zsh');
    // Stand-ins for functions of zsh, which print their arguments.
    const stand = [
      'compdef() { :; }',
      '_files() { echo; }',
      'compadd() { shift; print -r -- "$@"; }',
      `_describe() { eval 'print -r -- "\${'$2'[@]}"'; }`,
    ].join('; ');
    const runs = cases.map(([typed]) => {
      const list = typed.split(' ');
      return `words=(${list.map((word) => `'${word}'`).join(' ')}); CURRENT=${list.length}; _malote`;
    });
    const script = `${stand}; source '${path}'; ${runs.join('; ')}`;
    const { stdout, stderr } = await promisify(execFile)(zsh, ['-f', '-c', script]);
    expect(stderr).toBe('');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(cases.length);
    for (const [at, [, offered]] of cases.entries()) for (const word of offered) expect(lines[at]).toContain(word);
    expect(lines[1]).toContain('cancel:Cancel an order');
  });
});

test('an unknown shell gets an error that names the known shells', async () => {
  expect(await cli.run(['completion', 'fish'])).toMatchObject(saying(/bash, zsh/, 2));
});
