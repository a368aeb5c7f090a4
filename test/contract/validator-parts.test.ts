import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';

const require = createRequire(import.meta.url);

/** The version of a package whose internal files src/validation/validator-parts.ts imports. */
function versionOf(name: string): string {
  const [path = ''] = require.resolve(name).split(`/node_modules/${name}/`);
  return JSON.parse(readFileSync(`${path}/node_modules/${name}/package.json`, 'utf8')).version;
}

// Before you change a version here, check the imports of validator-parts.ts and the keywords of ajv's errors.
test.each([
  ['express-openapi-validator', '5.6.2'],
  ['ajv', '8.20.0'],
])('%s has the version whose internal files were checked', (name, version) => {
  expect(versionOf(name)).toBe(version);
});
