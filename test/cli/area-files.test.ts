import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stateNames } from '../../src/base/place.js';
import { weekdays } from '../../src/base/weekdays.js';
import { areasOfCsv, csvOfAreas } from '../../src/files/area-rows.js';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { ownService } from '../support/services.js';
import { operatorOf, saying } from './malote.js';

const HEAD =
  'name,state,municipality,postal_code_from,postal_code_to,collects,delivers,services,weekdays,extra_workdays';

const read = (text: string) => areasOfCsv(Buffer.from(text));
const some = <T>(of: readonly T[]) => fc.subarray([...of], { minLength: 1 });

const postalCode = fc.integer({ min: 1_000_000, max: 99_999_999 }).map((number) => String(number).padStart(8, '0'));
const name = fc
  .string({ unit: fc.constantFrom(...'aé ,;"\'\n='), maxLength: 12 })
  .filter((text) => text === text.trim() && !text.startsWith("'"));

const storedArea = fc
  .record({
    name,
    collects: fc.boolean(),
    delivers: fc.boolean(),
    services: some(['express', 'economy'] as const),
    weekdays: some(weekdays),
    extra_workdays: fc.integer({ min: 0, max: 30 }),
  })
  .chain((terms) =>
    fc
      .oneof(
        fc.constantFrom(...Object.keys(stateNames)).map((state) => ({ states: [state] })),
        fc.constantFrom(...allMunicipalities()).map(({ code }) => ({ municipalities: [code] })),
        fc.tuple(postalCode, postalCode).map(([from, to]) => ({ postal_codes: [{ from, to }] })),
      )
      .map((place) => ({ ...terms, states: [], municipalities: [], postal_codes: [], ...place })),
  );

describe('a file of areas', () => {
  test('is read back as it was written, with any names of areas', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storedArea, { maxLength: 5 }), async (areas) => {
        const again = (await read(csvOfAreas(areas))).map((area) => ({
          ...{ name: '', states: [], municipalities: [], postal_codes: [] },
          ...area,
        }));
        expect(again).toEqual(areas);
      }),
    );
  });

  test('may have columns in any order, commas or semicolons, and empty cells for defaults', async () => {
    expect(await read('\uFEFFmunicipality;collects;name\r\n3548500;não;Porto\r\n;;\r\n')).toEqual([
      { municipalities: [3548500], collects: false, name: 'Porto' },
      {},
    ]);
    expect(await read('state\nsp\n')).toEqual([{ states: ['SP'] }]);
  });

  test('may have CEPs as spreadsheets write them: with a hyphen, or without their first zero', async () => {
    const postal_codes = [{ from: '01310000', to: '01310999' }];
    expect(await read('postal_code_from,postal_code_to\n01310-000,1310999\n')).toEqual([{ postal_codes }]);
  });

  test.each([
    ['', 'Line 1, the first line: must be one of name, state'],
    ['state,price\nSP,1\n', 'Line 1, price: must be one of name, state'],
    [`${HEAD}\n,SP,,,,maybe,,,,\n`, 'Line 2, collects: must be yes or no'],
    [`${HEAD}\n,SP,,,,,,,,\n,,35485,,,,,,,\n`, 'Line 3, municipality: must be an IBGE code of 7 digits'],
    [`${HEAD}\n,,,01310000,,,,,,\n`, 'Line 2, postal_code_to: a range has both ends'],
    [`${HEAD}\n,SP,,,,,,rocket,,\n`, 'Line 2, services: must be of express, economy'],
    [`${HEAD}\n,SP,,,,,,,someday,\n`, 'Line 2, weekdays: must be of sunday'],
    [`${HEAD}\n,SP,,,,,,,,soon\n`, 'Line 2, extra_workdays: must be a whole number'],
    ['state\n"SP', 'Line 1, the file: is not CSV'],
  ])('is refused with the line and column of the error: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  test('is refused when it is not UTF-8', async () => {
    await expect(areasOfCsv(Buffer.from('name,state\nS\u00E3o,SP\n', 'latin1'))).rejects.toThrow(
      'the file: must be UTF-8',
    );
  });
});

const service = await ownService({}, { worker: false });
const malote = operatorOf(service);

describe('commands', () => {
  const file = async (content: string): Promise<string> => {
    const path = join(malote.folder, 'areas.csv');
    await writeFile(path, content);
    return path;
  };

  test('add all municipalities of a spreadsheet, and write the same file', async () => {
    const terms = '"Interior, norte",,CODE,,,yes,yes,express economy,tuesday thursday,2\n';
    const sheet = `${HEAD}\n${allMunicipalities()
      .map(({ code }) => terms.replace('CODE', String(code)))
      .join('')}`;
    expect(await malote.json(['areas', 'add', await file(sheet)])).toMatchObject({ version: 1, place_count: 5571 });
    expect((await malote.run('areas current --csv')).out).toBe(sheet);
    expect((await malote.run('areas current')).out).toMatch(/Interior, norte +\d{7} +yes +yes/);
  });

  test('name the row that would refuse an order', async () => {
    const nothing = await malote.json(['areas', 'preview', await file('state\nAC\n')]);
    expect(nothing).toEqual({ order_count: 0, refused_count: 0, orders: [] });
  });

  test('refuse a whole file, and name the place of each error', async () => {
    const wrong = await file('state,municipality\nSP,\nSP,\n,9999999\n');
    const said = saying(/areas\.2\.municipalities\.0.*areas\.1\.states\.0/);
    expect(await malote.run(['areas', 'add', wrong])).toMatchObject(said);
    const many = await file(`state\n${'SP\n'.repeat(100_000)}`);
    expect(await malote.run(['areas', 'add', many])).toMatchObject(saying('areas'));
    expect(await malote.json(['areas', 'list'])).toMatchObject({ data: [{ version: 1 }] });
  });
});
