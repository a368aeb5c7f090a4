import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fileOf, labelOf, nastyTexts, ordinary } from './fixtures.js';
import { codesIn, printedZpl } from './pictures.js';

const CODES = [`ZBAR_CODE128 ${ordinary.barcode}`, `ZBAR_QRCODE ${ordinary.trackingUrl}`];

const zplOf = async (text: string): Promise<string> => (await fileOf([labelOf(text)], 'zpl')).toString();

/** The commands of a format without what is printed. */
const commandsIn = (zpl: string): string[] =>
  [...zpl.matchAll(/[\^~]([A-Z][A-Z0-9])/g)].map(([, name = '']) => name).filter((name) => !/^(A0|FO|FH|FD|FS)$/.test(name));

/** What fields print, as the printer reads it. */
const printedIn = (zpl: string): string[] =>
  [...zpl.matchAll(/\^FH\^FD([^^~]*)\^FS/g)].map(([, data = '']) =>
    Buffer.from(data.replace(/_([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))), 'latin1').toString(),
  );

describe('a label as ZPL', () => {
  test('prints what the PDF does, with codes that readers read', async () => {
    const file = await fileOf([ordinary], 'zpl');
    const printed = printedIn(file.toString()).join('\n');
    for (const text of [ordinary.sender.name, ordinary.recipient.name, 'São Paulo - SP', '05422-000', '18/11/2026', '7ZK3 M9P2 QP1S']) {
      expect(printed).toContain(text);
    }
    expect(file.toString()).toMatch(/^\^XA\^CI28\n\^PW800\^LL1200[\s\S]*\^XZ\n$/);
    expect(await codesIn(await printedZpl(file))).toEqual(CODES);
  });

  test.each(Object.entries(nastyTexts))('of %s can be read', async (_name, text) => {
    expect(await codesIn(await printedZpl(await fileOf([labelOf(text)], 'zpl')))).toEqual(CODES);
  });

  test('writes other letters as Latin ones that sound alike, or a question mark', async () => {
    const printed = async (text: string) => printedIn(await zplOf(text)).join(' ');
    expect(await printed('深圳')).toContain('ShenZhen');
    expect(await printed('Иван Žižková')).toContain('Ivan Zizkova');
    expect(await printed('Conceição Müller')).toContain('Conceição Müller');
    expect(await printed('A\u0007B')).toContain('A?B');
    expect(await printed('W'.repeat(255))).toMatch(/W{20,}\.\.\./);
  });

  test('obeys nothing that a text says', async () => {
    const harmless = commandsIn(await zplOf('a'));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: fc.constantFrom(...'^~_\\FSXZA5E,&'), maxLength: 255 }),
          fc.string({ unit: 'binary', maxLength: 255 }),
        ),
        async (text) => {
          const zpl = await zplOf(text);
          expect(commandsIn(zpl)).toEqual(harmless);
          expect(zpl).toMatch(/^[\n -~]*$/);
        },
      ),
    );
  });

  test('has one format for each label', async () => {
    const zpl = (await fileOf([ordinary, ordinary, ordinary], 'zpl')).toString();
    expect([zpl.match(/\^XA/g)?.length, zpl.match(/\^XZ/g)?.length]).toEqual([3, 3]);
  });
});
