/** The content of a label. Its texts may come from clients; each format decides which characters it can show. */
export interface Label {
  sender: Party;
  recipient: Party;
  /** Instructions for the courier. May be empty. */
  instructions: string;
  city: string;
  state: string;
  postalCode: string | undefined;
  /**
   * The number of this package, and the count of packages with the same document, or the same recipient and address.
   */
  volume: { number: number; of: number };
  /** In grams. */
  weight: number;
  /** The fiscal document, if there is one. `value` is its key. */
  document: { kind: 'nfe' | 'dce'; number: string; value: string } | undefined;
  /** Position of the delivery in the order's route, from 0. */
  stop: number;
  /** `YYYY-MM-DD`. */
  promisedDate: string;
  /** `YYYY-MM-DD`: the first day on which the package may be delivered. */
  deliverFrom: string | null;
  /** The shipper's own name of the package or of its order. The label shows only its beginning. */
  orderName: string | undefined;
  trackingCode: string;
  barcode: string;
  /** Address of the tracking page for a reader of the label, in ASCII. */
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
