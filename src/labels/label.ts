/** What stands on a label. Its texts may hold whatever a client may send; each format decides how it shows them. */
export interface Label {
  /** Who hands the package over, and where. */
  sender: Party;
  recipient: Party;
  /** For the courier; empty when there are none. */
  instructions: string;
  city: string;
  /** Two letters. */
  state: string;
  /** Eight digits; undefined when the address has none. */
  postalCode: string | undefined;
  /** Place of the delivery in the order's route, from 0. */
  stop: number;
  /** YYYY-MM-DD. */
  promisedDate: string;
  trackingCode: string;
  /** Eighteen digits. */
  barcode: string;
  /** Where the recipient follows the package, in ASCII; undefined when there is no such page. */
  trackingUrl: string | undefined;
}

interface Party {
  name: string;
  address: string;
  /** Empty when there is none. */
  complement: string;
}

export const labelFormats = ['pdf', 'zpl'] as const;
export type LabelFormat = (typeof labelFormats)[number];

/** One label on a page of its own size, or four on a sheet. */
export const labelLayouts = ['100x150', 'a4'] as const;
export type LabelLayout = (typeof labelLayouts)[number];
