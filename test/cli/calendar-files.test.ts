import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stateNames } from '../../src/base/place.js';
import { csvOfDays, daysOfCsv, withDaysOf } from '../../src/files/day-rows.js';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { ownService } from '../support/services.js';
import { operatorOf, saying } from './malote.js';

const read = (text: string) => daysOfCsv(Buffer.from(text));

const storedDay = fc
  .record({
    date: fc
      .date({ min: new Date('2020-01-01'), max: new Date('2035-12-31'), noInvalidDate: true })
      .map((time) => time.toISOString().slice(0, 10)),
    name: fc.string({ unit: fc.constantFrom(...'aé ,;"\n='), maxLength: 12 }).filter((text) => text === text.trim()),
  })
  .chain((day) =>
    fc
      .oneof(
        fc.constant({}),
        fc.constantFrom(...Object.keys(stateNames)).map((state) => ({ state })),
        fc.constantFrom(...allMunicipalities()).map(({ code }) => ({ municipality: code })),
      )
      .map((place) => ({ ...day, ...place })),
  );

describe('a file of days off', () => {
  test('is read back as it was written, with any names of days', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storedDay, { maxLength: 5 }), async (days) => {
        expect((await read(csvOfDays(days))).map((day) => ({ name: '', ...day }))).toEqual(days);
      }),
    );
  });

  test('may have days as Brazilian spreadsheets write them, and columns in any order', async () => {
    expect(await read('\uFEFFmunicipality;date;name\r\n3550308;25/1/2027;Aniversário\r\n;2027-12-24;\r\n')).toEqual([
      { date: '2027-01-25', name: 'Aniversário', municipality: 3550308 },
      { date: '2027-12-24' },
    ]);
    expect(await read('date,state\n2027-07-09,sp\n')).toEqual([{ date: '2027-07-09', state: 'SP' }]);
  });

  test('replaces the days of the years that it names', () => {
    const kept = { date: '2026-12-24', name: 'kept' };
    const replaced = { date: '2027-12-24', name: 'replaced' };
    expect(withDaysOf([{ date: '2027-01-25' }], [kept, replaced])).toEqual([{ date: '2027-01-25' }, kept]);
  });

  test.each([
    ['dia\n2027-01-25\n', 'Line 1, dia: must be one of date, name, state, municipality'],
    ['date\n25.01.2027\n', 'Line 2, date: must be a day such as 2027-01-25'],
    ['name\nNatal\n', 'Line 2, date: must be a day such as 2027-01-25'],
    ['date,municipality\n2027-01-25,São Paulo\n', 'Line 2, municipality: must be an IBGE code of 7 digits'],
  ])('is refused with the line of the error: %j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});

const service = await ownService({}, { worker: false });
const malote = operatorOf(service);

describe('commands', () => {
  test('import a year of days, keep the hours, and write the same days', async () => {
    const file = join(malote.folder, 'days-2027.csv');
    const content = 'date,name,state,municipality\n2027-01-25,Aniversário de São Paulo,,3550308\n2027-12-24,,,\n';
    await writeFile(file, content);
    await malote.json(['calendars', 'add', '--cutoff', '11:00', '--saturdays', 'no']);
    expect(await malote.json(['calendars', 'add', file, '--lead', '45'])).toMatchObject({
      version: 3,
      closed_count: 2,
    });
    expect((await malote.run('calendars current --csv')).out).toBe(content);
    expect(await malote.json(['calendars', 'show', '3'])).toMatchObject({
      ...{ collection_cutoff: '11:00', saturdays: false, collection_lead_minutes: 45 },
    });
    await malote.json(['calendars', 'add', '--cutoff', 'none']);
    expect(await malote.json(['calendars', 'current'])).not.toHaveProperty('collection_cutoff');
    expect((await malote.run('calendars current --csv')).out).toBe(content);
    expect((await malote.run('calendars list')).out).toMatch(/08:00-20:00 +none +45 +2 +yes/);
    expect(await malote.json(['calendars', 'preview', '--lead', '30'])).toMatchObject({ order_count: 0, orders: [] });
    expect(await malote.run('calendars add')).toMatchObject(saying('Name an option, or a file', 2));
    await writeFile(file, 'date\n2027-01-25\n25/01/2027\n');
    expect(await malote.run(['calendars', 'add', file])).toMatchObject(saying(/closed\.1.*is the same as closed\.0/));
    expect(await malote.json(['calendars', 'current'])).toMatchObject({ version: 4 });
  });
});
