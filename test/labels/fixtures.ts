import type { Label, LabelFormat, LabelLayout } from '../../src/labels/label.js';
import { labelFile } from '../../src/labels/print.js';

export const ordinary: Label = {
  sender: {
    name: 'Torrefação Souza & Filhos Ltda.',
    address: 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200',
    complement: 'loja 3',
  },
  recipient: {
    name: 'Bruno Conceição Lima',
    address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000',
    complement: 'ap 12',
  },
  instructions: 'Deixar na portaria.',
  city: 'São Paulo',
  state: 'SP',
  postalCode: '05422000',
  volume: { number: 2, of: 3 },
  weight: 1_250,
  document: undefined,
  stop: 7,
  promisedDate: '2026-11-18',
  deliverFrom: null,
  orderName: undefined,
  trackingCode: '7ZK3M9P2QP1S',
  barcode: '378912345678901232',
  trackingUrl: 'https://malote.example/t/QmFzZTY0_dXJs-AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBka',
};

/** Keys whose Code 128 is the shortest and the longest, and one of both. */
export const fiscalKeys = [
  '35260914200166000166550010000012341123456780',
  '352609ABCDEFGHIJKL80550010000012341123456784',
  '352609A1B2C3D4E5F668550010000012341123456786',
] as const;

export const documented = (label: Label, value: string = fiscalKeys[1]): Label => ({
  ...label,
  volume: { number: 100, of: 100 },
  weight: 29_999.999,
  document: { kind: 'nfe', number: '123456789', value },
});

/** Difficult texts, of up to 255 characters, which clients may send. */
export const nastyTexts: Readonly<Record<string, string>> = {
  'one very long word': 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
    .repeat(4)
    .slice(0, 255),
  'wide letters': 'W'.repeat(255),
  'many short words': 'a '.repeat(127),
  accents: 'ÀÁÂÃÄÅĀĂĄǺȀȂẤẦẪẨẬŒŠŽŁ '.repeat(11).trim(),
  Chinese: '深圳市龙岗区坂田街道'.repeat(25),
  Japanese: 'ひらがなとカタカナと漢字 '.repeat(19).trim(),
  Arabic: 'محمد بن عبد الله الأنصاري '.repeat(10).trim(),
  'Arabic among Latin': 'Rua محمد 12, apto. عبد (fundos)',
  Hebrew: 'שלום עולם '.repeat(25).trim(),
  emoji: '👩‍👩‍👧‍👦🇧🇷👍🏽'.repeat(14),
  'marks without end': `Z${'\u0301\u0300\u0323'.repeat(84)}`,
  'marks on every letter': 'a\u0301\u0302\u0303\u0304\u0305\u0306'.repeat(36),
  'a bell, a tab, lines and directions': 'A\u0007B\tC\nD\u2028E\u202eF\u200fG\u00adH',
  'invisible alone': '\u200b\u2060\u00ad',
  'private and unassigned': '\ue000\u{10ffff}\u0378\u{e0001}',
  'commands of ZPL': '^XZ^XA^FO0,0^GB800,1200,1200^FS~JA~HS _5E\\&\\_^FH_^CI0',
  'an end of field': '^FS^XZ'.repeat(42),
  'operators of PDF': '(Tj) Tj ET Q endstream \\( \\) << >> %%EOF',
};

/** A label whose every text that a client writes is this one. */
export const labelOf = (text: string, change: Partial<Label> = {}): Label => {
  const party = { name: text, address: text, complement: text };
  return { ...ordinary, sender: party, recipient: party, instructions: text, ...change };
};

export const fileOf = async (
  labels: readonly Label[],
  format: LabelFormat,
  layout: LabelLayout = '100x150',
): Promise<Buffer> => (await labelFile('Labels', labels, { format, layout })).body;
