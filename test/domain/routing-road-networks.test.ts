import { expect, test } from '@jest/globals';
import type { Located } from '../../src/base/place.js';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { isolatedNetworks, joinedByRoad } from '../../src/routing/road-networks.js';

const at = (name: string): Located => locateEmbedded(`Rua A, 1, Centro, ${name}`);
const refused = (...names: string[]): string[] => {
  const stops = joinedByRoad(names.map(at));
  return names.filter((_, stop) => stops[stop]?.ok === false);
};

test.each([...isolatedNetworks.keys()])('an isolated place has the spelling of the gazetteer: %s', (name) => {
  const located = at(name);
  expect(located.ok && `${located.place.city} - ${located.place.state}`).toBe(name);
});

test('a place without a road is refused together with other places, at any position', () => {
  expect(refused('Recife - PE', 'Fernando de Noronha - PE', 'Olinda - PE')).toEqual(['Fernando de Noronha - PE']);
  expect(refused('Parintins - AM', 'Manaus - AM')).toEqual(['Parintins - AM']);
  expect(refused('Parintins - AM', 'Parintins - AM', 'Manaus - AM')).toEqual(['Parintins - AM', 'Parintins - AM']);
});

test('places on one road network can be reached from each other', () => {
  expect(refused('Fernando de Noronha - PE', 'Fernando de Noronha - PE')).toEqual([]);
  expect(refused('Atalaia do Norte - AM', 'Benjamin Constant - AM')).toEqual([]);
  expect(refused('Manaus - AM', 'Porto Velho - RO', 'Macapá - AP', 'Soure - PA')).toEqual([]);
});

test('the first stop decides between two separate places, and the other one is refused', () => {
  expect(refused('Tefé - AM', 'Parintins - AM', 'Uarini - AM')).toEqual(['Parintins - AM']);
});

test('an unlocated stop stays as it is, and the message of a refusal says what to do', () => {
  const nowhere: Located = { ok: false, message: 'The address names no place.' };
  expect(joinedByRoad([undefined, nowhere, at('Afuá - PA'), at('Belém - PA')]).slice(0, 3)).toEqual([
    undefined,
    nowhere,
    {
      ok: false,
      message:
        'No road or car ferry joins Afuá - PA to the other addresses of the order: order pickups and deliveries there separately.',
    },
  ]);
});
