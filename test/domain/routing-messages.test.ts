import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';

/** Why the address cannot be placed; undefined where it can. */
function messageOf(address: string): string | undefined {
  const located = locateEmbedded(address);
  return located.ok ? undefined : located.message;
}

const pieces = [
  ...'Rua|São Paulo|SP|RJ|-|,|/|01310-200|20040-002|11010-000|00100-000|CEP|1101|Santos|Socorro'.split('|'),
  ...'Bela Vista|Bom Jesus|Mundo Novo|MS|Centro|Paraná|DF|10|sn|de|bairro'.split('|'),
];
const needles = ['kanarie', 'KANARIE', 'Kanárie', 'qqq', 'zzyzx'.repeat(60)];
/** Between the pieces, or grown together with one. */
const addressWithNeedles = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom('@', '@', 'x@', 'cep @', '- @ -')), { maxLength: 12 })
  .map((parts) => parts.join(' '));

test('a word that names nothing makes no difference to a message, whichever it is', () => {
  fc.assert(
    fc.property(addressWithNeedles, (address) => {
      const messages = needles.map((word) => messageOf(address.replaceAll('@', word)));
      expect(new Set(messages).size).toBe(1);
      expect(messages[0] ?? '').not.toMatch(/\d\d/);
    }),
    { numRuns: 500 },
  );
});
