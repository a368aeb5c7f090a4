/** The content of a label. Clients write its texts; each format decides which letters it shows. */
export interface Label {
  sender: Party;
  recipient: Party;
  /** For the courier; may be empty. */
  instructions: string;
  city: string;
  state: string;
  postalCode: string | undefined;
  /** The number of packages that share its document, or its recipient and address. */
  volume: { number: number; of: number };
  /** In grams. */
  weight: number;
  /** The fiscal document, where there is one: `value` is its key. */
  document: { kind: 'nfe' | 'dce'; number: string; value: string } | undefined;
  /** Place of the delivery in the order's route, from 0. */
  stop: number;
  /** YYYY-MM-DD. */
  promisedDate: string;
  /** YYYY-MM-DD: the courier does not deliver before. */
  deliverFrom: string | null;
  /** The shipper's own name of the package or its order. The label shows the beginning. */
  orderName: string | undefined;
  trackingCode: string;
  barcode: string;
  /** The page on which a reader of the label may follow the package, in ASCII. */
  trackingUrl: string | undefined;
}

interface Party {
  name: string;
  address: string;
  /** May be empty. */
  complement: string;
}

export const labelFormats = ['pdf', 'zpl'] as const;
export type LabelFormat = (typeof labelFormats)[number];

export const labelLayouts = ['100x150', 'a4'] as const;
export type LabelLayout = (typeof labelLayouts)[number];
