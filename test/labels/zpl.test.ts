import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { documented, fileOf, fiscalKeys, labelOf, nastyTexts, ordinary } from './fixtures.js';
import { codesIn, printedZpl } from './pictures.js';

const codes = [`ZBAR_CODE128 ${ordinary.barcode}`, `ZBAR_QRCODE ${ordinary.trackingUrl}`];

const zplOf = async (text: string): Promise<string> => (await fileOf([labelOf(text)], 'zpl')).toString();

const OF_FIELDS = /^(A0|FO|FH|FD|FS)$/;

/** The commands of a format except those of text fields, whose number is that of the lines. */
const commandsIn = (zpl: string): string[] =>
  [...zpl.matchAll(/[\^~]([A-Z][A-Z0-9])/g)].map(([, name = '']) => name).filter((name) => !OF_FIELDS.test(name));

const characterOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));

/** The fields as a printer reads them, each on a line. */
const printedIn = (zpl: string): string =>
  [...zpl.matchAll(/\^FH\^FD([^^~]*)\^FS/g)]
    .map(([, data = '']) => data.replace(/_([0-9A-F]{2})/g, (_, hex: string) => characterOf(hex)))
    .map((bytes) => Buffer.from(bytes, 'latin1').toString())
    .join('\n');

test('a label as ZPL prints what the PDF does, with codes that readers read', async () => {
  const file = await fileOf([ordinary], 'zpl');
  const { sender, recipient } = ordinary;
  const own = [
    'São Paulo - SP',
    '05422-000',
    '18/11/2026',
    '7ZK3 M9P2 QP1S',
    '2 de 3',
    '1,25 kg',
    '3789 1234 5678 9012 32',
  ];
  for (const text of [sender.name, recipient.name, ...own]) expect(printedIn(file.toString())).toContain(text);
  expect(file.toString()).toMatch(/^\^XA\^CI28\n\^PW800\^LL1200[\s\S]*\^XZ\n$/);
  expect(await codesIn(await printedZpl(file))).toEqual(codes);
});

test.each(fiscalKeys)('the fiscal key %s stands along the right side, turned', async (value) => {
  const file = await fileOf([documented(labelOf(nastyTexts['wide letters'] ?? ''), value)], 'zpl');
  for (const text of ['NF-e nº 123456789', '100 de 100', '30 kg']) expect(printedIn(file.toString())).toContain(text);
  const found = [`ZBAR_CODE128 ${value}`, ...codes].sort();
  expect(await codesIn(await printedZpl(file))).toEqual(found);
});

// Texts that come nearest to the edges, and texts that would be commands.
const hard = ['wide letters', 'accents', 'Chinese', 'commands of ZPL', 'an end of field'];
test.each(hard)('%s: the codes can be read', async (name) => {
  const file = await fileOf([labelOf(nastyTexts[name] ?? '')], 'zpl');
  expect(await codesIn(await printedZpl(file))).toEqual(codes);
});

test('other letters become Latin ones that sound alike, or a question mark', async () => {
  const printed = async (text: string) => printedIn(await zplOf(text));
  expect(await printed('深圳')).toContain('ShenZhen');
  expect(await printed('Иван Žižková')).toContain('Ivan Zizková');
  expect(await printed('Conceição Müller')).toContain('Conceição Müller');
  expect(await printed('A\u0007B')).toContain('A?B');
  expect(await printed('W'.repeat(255))).toMatch(/W{20,}\.\.\./);
});

test('nothing that a text says is obeyed', async () => {
  const harmless = commandsIn(await zplOf('a'));
  const anyText = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'^~_\\&FSXZA5E, '), maxLength: 255 }),
    fc.string({ unit: 'binary', maxLength: 255 }),
    fc.constantFrom(...Object.values(nastyTexts)),
  );
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const zpl = await zplOf(text);
      expect(commandsIn(zpl)).toEqual(harmless);
      expect(zpl).toMatch(/^[\n -~]*$/);
      expect(printedIn(zpl)).not.toContain('\\&');
    }),
  );
});

test('each label is a format of its own', async () => {
  const zpl = (await fileOf([ordinary, ordinary, ordinary], 'zpl')).toString();
  expect([zpl.match(/\^XA/g)?.length, zpl.match(/\^XZ/g)?.length]).toEqual([3, 3]);
});
