import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/base/config.js';
import { loadCliConfig } from '../../src/cli/config.js';

/** .env.example and docs/settings.md have all settings of the service and the command line, with their defaults. */

const textOf = (path: string): string => readFileSync(path, 'utf8');

const settings = parseEnv(textOf('.env.example').replaceAll(/^#(?=[A-Z])/gm, ''));
const rows = [...textOf('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (?:`(.*?)`|–) \|/gm)];
const inTable = new Map(rows.map(([, name = '', value = '']) => [name, value]));
/** The names in the specifications, which are the keys of an object each. */
const sources = ['src/base/config.ts', 'src/cli/config.ts'].map(textOf).join('');
const read = [...sources.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name);

test('.env.example has all settings that are read, and no other', () => {
  expect(Object.keys(settings).sort()).toEqual([...new Set(read)].sort());
});

test('docs/settings.md has the same settings, with the same defaults', () => {
  expect(inTable).toEqual(new Map(Object.entries(settings)));
});

test('the defaults in both are the service’s without settings', () => {
  expect(loadConfig(settings)).toEqual(loadConfig({}));
  // The command line leaves it open whose key or token it is, and takes the first operator where it has to sign in.
  const cli = { ...settings, OPERATOR_EMAIL: '' };
  const unread = { service: undefined, database: undefined };
  expect({ ...loadCliConfig(cli), ...unread }).toEqual({ ...loadCliConfig({}), ...unread });
});

test('SECURITY.md says which version gets fixes in words that no release makes wrong', () => {
  const text = textOf('SECURITY.md');
  expect(text).toContain('The newest minor version gets fixes');
  expect(text.match(/\b\d+\.\d+(\.\d+)?\b/g)).toBeNull();
});
