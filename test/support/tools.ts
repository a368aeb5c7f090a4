import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';

/** Programs that some tests need and not every machine has. */
const tools = {
  redis: { names: ['redis-server'], needed: 'REQUIRE_REDIS', tries: 'rate limits over a real Redis' },
  chromium: {
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    needed: 'REQUIRE_CHROMIUM',
    tries: 'the documentation page in a real browser',
  },
  pgbouncer: {
    names: ['pgbouncer'],
    needed: 'REQUIRE_PGBOUNCER',
    tries: 'the database behind PgBouncer in transaction mode',
  },
  zsh: { names: ['zsh'], needed: 'REQUIRE_ZSH', tries: 'completion of commands in zsh' },
  python: {
    names: ['python3'],
    needed: 'REQUIRE_PYTHON',
    tries: 'the example receiver and the client package of Python',
  },
  go: { names: ['go'], needed: 'REQUIRE_GO', tries: 'the example receiver in Go' },
  java: { names: ['javac'], needed: 'REQUIRE_JAVA', tries: 'the example receiver in Java' },
};

type Tool = keyof typeof tools;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of a tool; undefined where it is not installed. */
function toolPath(tool: Tool): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.flatMap((folder) => tools[tool].names.map((name) => join(folder, name))).find(isExecutable);
}

/**
 * Declares tests that need a tool. Without it one line says what was not tried; where its setting (such as
 * REQUIRE_REDIS=1) says that it must be there, that is a failure.
 */
export function describeWith(tool: Tool, title: string, tests: (path: string) => void): void {
  const path = toolPath(tool);
  if (path !== undefined) return void describe(title, () => tests(path));
  const { names, needed, tries } = tools[tool];
  if (process.env[needed] === '1') throw new Error(`${needed}=1, but ${names[0]} is not installed`);
  process.stderr.write(`not tried: ${tries} (${names[0]} is not installed)\n`);
  describe.skip(title, () => tests(''));
}
