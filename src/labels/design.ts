import type { Label } from './label.js';

/** The design of both formats, in millimetres from the top left corner of the label. */

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface TextBox extends Box {
  readonly text: string;
  /** Bounds of the size. The letters are as large as the box allows. */
  readonly largest: number;
  readonly smallest: number;
  readonly isBold: boolean;
  readonly align: 'left' | 'center' | 'right';
}

export const labelSize = { width: 100, height: 150 } as const;

export const qrBox: Box = { x: 3, y: 98, width: 32, height: 32 };

export const BARCODE_MODULE = 0.5;

/** The bars of the Code 128, centred between their quiet zones. */
export const barcodeBox: Box = { x: 4, y: 131, width: 92, height: 12 };

/** Width of a module in the fiscal key's Code 128. With twelve letters the code is 137 mm long. */
export const KEY_MODULE = 0.375;

/** The bars of the fiscal key, along the right side, centred between their quiet zones. */
export const keyBox: Box = { x: 87, y: 2, width: 10, height: 146 };

/** Millimetres that other boxes lose to the fiscal key. */
const KEY_STRIP = 12;

/** Moves or narrows a box that would overlap the fiscal key. */
const besideKey = <B extends Box>(label: Label, box: B): B => {
  if (!label.document || box.x + box.width <= keyBox.x - 3) return box;
  return box.x > 66 ? { ...box, x: box.x - KEY_STRIP } : { ...box, width: box.width - KEY_STRIP };
};

export const barcodeBoxOn = (label: Label): Box => besideKey(label, barcodeBox);

export const rulesOn = (label: Label): Box[] =>
  [25, 82, 96].map((y) => besideKey(label, { x: 3, y, width: 94, height: 0.4 }));

type Style = Partial<Pick<TextBox, 'isBold' | 'align'>> & Pick<TextBox, 'largest' | 'smallest'>;

function box(text: string, [x, y, width, height]: [number, number, number, number], style: Style): TextBox {
  return { text, x, y, width, height, isBold: false, align: 'left', ...style };
}

const caption = (text: string, x: number, y: number, width: number, align: TextBox['align'] = 'left'): TextBox =>
  box(text, [x, y, width, 3.2], { largest: 2.5, smallest: 2, align });

/**
 * All texts with their boxes. A client's text never shares a row with a code, because wide letters could reach the
 * code.
 */
export const textsOf = (label: Label): TextBox[] =>
  [senderTexts, recipientTexts, ownTexts].flatMap((texts) => texts(label)).map((text) => besideKey(label, text));

const senderTexts = ({ sender, stop, volume }: Label): TextBox[] => [
  caption('REMETENTE', 4, 4, 56),
  box(sender.name, [4, 7.4, 56, 6], { largest: 4.4, smallest: 2.2, isBold: true }),
  box(inOneLine(sender.address, sender.complement), [4, 13.6, 56, 10.8], { largest: 3.2, smallest: 1.9 }),
  caption('PARADA', 74, 4, 22, 'right'),
  box(String(stop), [74, 7.2, 22, 8.4], { largest: 7, smallest: 6, isBold: true, align: 'right' }),
  caption('VOLUME', 74, 15.6, 22, 'right'),
  box(`${volume.number} de ${volume.of}`, [74, 18.8, 22, 5.8], {
    largest: 4.6,
    smallest: 3,
    isBold: true,
    align: 'right',
  }),
];

const recipientTexts = ({ recipient, instructions, city, state, postalCode = '' }: Label): TextBox[] => [
  caption('DESTINATÁRIO', 4, 26.6, 92),
  box(recipient.name, [4, 30, 92, 14.6], { largest: 6, smallest: 2.6, isBold: true }),
  box(recipient.address, [4, 45, 92, 17], { largest: 4.4, smallest: 2.3 }),
  box(recipient.complement, [4, 62.4, 92, 8.4], { largest: 4.4, smallest: 2.1 }),
  box(instructions, [4, 71.2, 92, 10], { largest: 3.4, smallest: 1.9 }),
  box(`${city} - ${state}`, [4, 84, 54, 11], { largest: 7, smallest: 3, isBold: true }),
  box(withHyphen(postalCode), [59, 84, 37, 11], { largest: 7, smallest: 4, isBold: true, align: 'right' }),
];

const ownTexts = ({ promisedDate, weight, document, trackingCode, barcode, ...label }: Label): TextBox[] => [
  caption('PREVISÃO DE ENTREGA', 37, 98, 26),
  box(inBrazil(promisedDate), [37, 101.2, 26, 6.8], { largest: 5.6, smallest: 4, isBold: true }),
  caption('PESO', 76, 98, 20),
  box(inKilograms(weight), [76, 101.2, 20, 6.8], { largest: 5, smallest: 3, isBold: true }),
  caption('CÓDIGO DE RASTREIO', 37, 108.2, 59),
  box(inGroups(trackingCode), [37, 111.4, 59, 7], { largest: 5.6, smallest: 4, isBold: true }),
  ...lowerTexts({ document, ...label }),
  box(inGroups(barcode), [4, 143.6, 92, 5], { largest: 3.8, smallest: 2.5, align: 'center' }),
];

type LowerPart = Pick<Label, 'document' | 'orderName' | 'deliverFrom' | 'trackingUrl'>;

/** Texts below the tracking code: two rows, or three smaller ones. */
function lowerTexts({ document, orderName, deliverFrom, trackingUrl }: LowerPart): TextBox[] {
  const ofDocument = document && `${kinds[document.kind]} nº ${document.number}`;
  const ofOrder = orderName && `Pedido ${beginningOf(orderName)}`;
  const day = deliverFrom === null ? undefined : `ENTREGAR A PARTIR DE ${inBrazil(deliverFrom).slice(0, 5)}`;
  if (ofDocument && ofOrder && day) {
    return [ofDocument, ofOrder, day].map((text, row) =>
      box(text, [37, 118.8 + 3.7 * row, 59, 3.7], { largest: 3, smallest: 1.7, isBold: row === 2 }),
    );
  }
  const upper = ofDocument ?? ofOrder;
  return [
    ...(upper ? [box(upper, [37, 118.8, 59, 5], { largest: 3.8, smallest: 2, isBold: !ofDocument })] : []),
    ...lowestTexts({ day, ofOrder: ofDocument && ofOrder, trackingUrl }),
  ];
}

type LowestPart = Partial<Record<'day' | 'ofOrder', string | undefined>> & Pick<Label, 'trackingUrl'>;

/** The lowest texts. The day comes first, for the courier. Readers need no hint for the QR code. */
function lowestTexts({ day, ofOrder, trackingUrl }: LowestPart): TextBox[] {
  if (day ?? ofOrder)
    return [box(day ?? ofOrder ?? '', [37, 124, 59, 6], { largest: 4.4, smallest: 2.2, isBold: true })];
  return trackingUrl === undefined ? [] : [box(FOLLOW, [37, 124, 59, 6], { largest: 2.8, smallest: 2 })];
}

const MAX_ORDER_NAME = 32;

function beginningOf(name: string): string {
  const letters = [...name];
  return letters.length <= MAX_ORDER_NAME ? name : `${letters.slice(0, MAX_ORDER_NAME - 1).join('')}…`;
}

/** Writes a date as `02/12/2026`. */
const inBrazil = (date: string): string => date.split('-').reverse().join('/');

const kinds = { nfe: 'NF-e', dce: 'DC-e' } as const;

const inKilograms = (grams: number): string => `${String(Math.round(grams) / 1000).replace('.', ',')} kg`;

const FOLLOW = 'Aponte a câmera para o código e acompanhe a entrega.';

const inOneLine = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join(', ');

const withHyphen = (postalCode: string): string => postalCode.replace(/^(\d{5})(\d{3})$/, '$1-$2');

const inGroups = (code: string): string => code.replace(/.{4}(?=.)/g, '$& ');
