/** Real streets, neighbourhoods and CEPs: © OpenStreetMap contributors, ODbL 1.0 (https://www.openstreetmap.org/copyright). */
import { describe, expect, test } from '@jest/globals';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';
import cases from './routing-reading.cases.json' with { type: 'json' };
import { forms, formsWithoutCity, writtenAddresses } from './routing-written-addresses.js';

/** `street | number | neighbourhood | city - UF | CEP`, as far as the address has them. */
function partsOf(address: string): string {
  const reading = readAddress(address);
  if (!reading.ok) return reading.message;
  const { street, neighbourhood, municipality, postalCode } = reading;
  const city = `${municipality.name} - ${municipality.state}`;
  const parts = [street?.words.join(' '), street?.number, neighbourhood?.join(' '), city, postalCode];
  return parts.filter((part) => part !== undefined).join(' | ');
}

describe('an address is read in parts', () => {
  test.each(Object.entries(cases.inParts))('%s → %s', (address, parts) => {
    expect(partsOf(address)).toBe(parts);
  });
});

describe('a name within a longer one is not read by itself', () => {
  test.each(Object.entries(cases.withinLonger))('%s → %s', (address, parts) => {
    expect(partsOf(address)).toBe(parts);
  });

  test.each(cases.noCity)('and no city is made of it: %s', (address) => {
    expect(readAddress(address)).toMatchObject({ ok: false, reason: 'unknown' });
  });
});

test('without a state a CEP tells which of several cities is meant', () => {
  expect(partsOf('Rua Direita, 10, Campo Grande, 59680-000')).toBe('rua direita | 10 | Campo Grande - RN | 59680000');
  expect(partsOf('Rua Direita, 10, Bom Jesus, 59270-000')).toBe('rua direita | 10 | Bom Jesus - RN | 59270000');
  expect(partsOf('Av. Paulista, 1578, SP, 01310-200')).toBe('av paulista | 1578 | São Paulo - SP | 01310200');
});

describe('two readings', () => {
  test.each(Object.entries(cases.ambiguous))('%s: both are named', (address, both) => {
    const reading = readAddress(address);
    expect(reading).toMatchObject({ ok: false, reason: 'ambiguous', message: expect.stringContaining(both) });
  });

  test('a neighbourhood before the city leaves one', () => {
    expect(partsOf('Rua A, 1, Centro, Socorro, São Paulo')).toBe('rua a | 1 | centro | Socorro - SP');
  });
});

describe('the CEP', () => {
  test('alone says the city', () => {
    expect(partsOf('39740-000')).toBe('Guanhães - MG | 39740000');
    expect(partsOf('Rua Lemos Cunha, 355, Icaraí, 24230-131')).toBe(
      'rua lemos cunha | 355 | icarai | Niterói - RJ | 24230131',
    );
  });

  test('makes a neighbourhood of a name that is a city’s too', () => {
    expect(partsOf('Rua Badejo, 70, Eldorado, 09972-030')).toBe('rua badejo | 70 | eldorado | Diadema - SP | 09972030');
    expect(partsOf('Avenida Ciro Nunes, 751, Amazonas, 39740-000')).toContain('| amazonas | Guanhães - MG');
  });
});

describe('of 1 000 real addresses', () => {
  const sample = writtenAddresses().filter((_, at) => at % 50 === 0);

  /** The share of the sample in this form that is read right, and the addresses read as another city. */
  function outcome(form: (typeof forms)[string]): { share: number; wrong: string[] } {
    const texts = sample.flatMap((address) => {
      const text = form(address);
      return text === undefined ? [] : [{ code: Number(address.ibge), text, reading: readAddress(text) }];
    });
    const right = texts.filter(({ code, reading }) => reading.ok && reading.municipality.code === code);
    const wrong = texts.filter(({ code, reading }) => reading.ok && reading.municipality.code !== code);
    return { share: right.length / texts.length, wrong: wrong.map(({ text }) => text) };
  }

  test.each(Object.entries(forms))('none is read as another city: %s', (_name, form) => {
    const { share, wrong } = outcome(form);
    expect(wrong).toEqual([]);
    expect(share).toBeGreaterThan(0.985);
  });

  test.each(Object.entries(formsWithoutCity).filter(([name]) => name.includes('CEP')))(
    'the CEP says the city, as often as it is right: %s',
    (_name, form) => {
      expect(outcome(form).share).toBeGreaterThan(0.97);
    },
  );

  test('one that names no city is seldom placed', () => {
    expect(outcome(formsWithoutCity['street, number'] ?? (() => undefined)).wrong.length).toBeLessThan(10);
  });
});
