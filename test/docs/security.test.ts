import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

test('SECURITY.md says which version gets fixes in words that no release makes wrong', async () => {
  const text = await readFile('SECURITY.md', 'utf8');
  expect(text).toContain('The newest minor version gets fixes');
  expect(text.match(/\b\d+\.\d+(\.\d+)?\b/g)).toBeNull();
});
