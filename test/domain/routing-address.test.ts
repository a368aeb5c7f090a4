import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import cases from './routing-address.cases.json' with { type: 'json' };

/** A short form of the place of an address: `district, city - UF`, or `city - UF`. */
function whereIs(address: string): string {
  const located = locateEmbedded(address);
  if (!located.ok) return `not placed: ${located.message}`;
  const { city, state, district } = located.place;
  return `${district === undefined ? '' : `${district}, `}${city} - ${state}`;
}

function messageOf(address: string): string {
  const located = locateEmbedded(address);
  return located.ok ? 'placed' : located.message;
}

describe('an address as people write it', () => {
  const { asWritten, respelled, states } = cases;
  // Old and new spellings name the same city; the state may be a UF or a name.
  test.each(Object.entries({ ...asWritten, ...respelled, ...states }))('%s → %s', (address, place) => {
    expect(whereIs(address)).toBe(place);
  });

  test.each(cases.withRanges)('the ranges that Correios append to a street name no place: %s', (address) => {
    expect(whereIs(address)).toBe('Bela Vista, São Paulo - SP');
  });

  test('is a place with coordinates, a precision and the CEP', () => {
    expect(locateEmbedded('Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310200')).toEqual({
      ok: true,
      place: {
        accuracyMetres: expect.any(Number),
        latitude: expect.closeTo(-23.561, 2),
        longitude: expect.closeTo(-46.656, 2),
        precision: 'street',
        city: 'São Paulo',
        state: 'SP',
        district: 'Bela Vista',
        postalCode: '01310200',
        streetRead: 'av paulista, 1578',
      },
    });
    expect(locateEmbedded('Rua A, 1, Santos - SP')).toMatchObject({ place: { precision: 'city' } });
  });
});

describe('the state', () => {
  test('is not needed for São Paulo and Rio de Janeiro: the name alone is the city', () => {
    expect(whereIs('Rua Augusta, 1, São Paulo')).toBe('São Paulo - SP');
    expect(whereIs('Rua A, 1, Santa Teresa, Rio de Janeiro')).toBe('Santa Teresa, Rio de Janeiro - RJ');
  });

  test.each(Object.entries(cases.ambiguous))(
    'is needed when a name may mean several places: %s',
    (address, message) => {
      expect(messageOf(address)).toBe(message);
    },
  );
});

describe('an address that cannot be placed says why', () => {
  test.each(Object.entries(cases.unplaceable))('%s', (address, message) => {
    expect(messageOf(address)).toContain(message);
  });

  const partsOfMessages = [
    ...'Rua|São Paulo|SP|RJ|-|,|/|01310-200|20040-002|11010-000|00100-000|CEP|1101|Santos|Socorro'.split('|'),
    ...'Bela Vista|Bom Jesus|Mundo Novo|MS|Centro|Paraná|DF|10|sn|de|bairro'.split('|'),
  ];
  const needles = ['kanarie', 'KANARIE', 'Kanárie', 'qqq', 'zzyzx'.repeat(60)];
  /** Random addresses. `@` marks the unknown word, which stands between the pieces or is joined to one. */
  const addressWithNeedles = fc
    .array(fc.oneof(fc.constantFrom(...partsOfMessages), fc.constantFrom('@', '@', 'x@', 'cep @', '- @ -')), {
      maxLength: 12,
    })
    .map((parts) => parts.join(' '));

  test('in the same words, whatever unknown word the address has', () => {
    fc.assert(
      fc.property(addressWithNeedles, (address) => {
        const messages = needles.map((word) => messageOf(address.replaceAll('@', word)));
        expect(new Set(messages).size).toBe(1);
        expect(messages[0]).not.toMatch(/\d\d/);
      }),
      { numRuns: 500 },
    );
  });

  test('in a short message, even for a long address', () => {
    expect(messageOf(`${'x'.repeat(10_000)} - SP`).length).toBeLessThan(200);
  });
});

describe('any text', () => {
  const pieces = "Rua|São Paulo|SP|-|,|/|01310-200|CEP|Sé|de|10|até|d'|Bom Jesus|Brasil|\u0301".split('|');
  const addressLike = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(' '));

  test('is answered with a place in Brazil or a message', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), addressLike);
    fc.assert(
      fc.property(text, (address) => {
        const located = locateEmbedded(address);
        if (!located.ok) return located.message.length > 0 && located.message.length < 400;
        const { latitude, longitude, state } = located.place;
        return latitude > -34 && latitude < 6 && longitude > -74 && longitude < -32 && /^[A-Z]{2}$/.test(state);
      }),
      { numRuns: 500 },
    );
  });

  const repeated =
    "sp, |santos - sp, |são paulo, |rua a |01310-200 |cep |d'|\u0301|x|de 1 a 2 - |br |br-sp |qd 1 |km 1, |t-6 |o1-|bairro ".split(
      '|',
    );
  test.each(repeated)('is read, even 30 000 characters of %j', (piece) => {
    const located = locateEmbedded(piece.repeat(30_000 / piece.length));
    expect(typeof located.ok).toBe('boolean');
  });

  test('is read the same in any case, with or without accents', () => {
    const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '');
    fc.assert(
      fc.property(addressLike, (address) => {
        expect(whereIs(plain(address).toUpperCase())).toBe(whereIs(address.toLowerCase()));
      }),
    );
  });
});
