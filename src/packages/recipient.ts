import type { FiscalKind } from '../base/tax.js';
import type { Packages } from '../db/tables/database.js';

export interface Recipient {
  name: string;
  phone: string;
  /** CPF or CNPJ, without punctuation. */
  taxId?: string;
}

/** A recipient in the form of the contracts of REST and of the operator's interface. */
export const shownRecipient = ({ name, phone, taxId: tax_id }: Recipient) => ({ name, phone, tax_id });

/** A fiscal document. `reason` says why there is no document. An erased one has neither key nor reason. */
export interface FiscalDocument {
  kind: FiscalKind;
  key?: string;
  reason?: string;
}

/** A document in the form of the contracts of REST and of the operator's interface. */
export const shownDocument = (document: FiscalDocument | null) =>
  document ? { kind: document.kind, key: document.key, reason: document.reason } : undefined;

type Row = Pick<
  Packages,
  'recipient_name' | 'recipient_phone' | 'recipient_tax_id' | 'fiscal_kind' | 'fiscal_key' | 'fiscal_reason'
>;

export function recipientOf({ recipient_name: name, recipient_phone: phone, recipient_tax_id: taxId }: Row): Recipient {
  return taxId === null ? { name, phone } : { name, phone, taxId };
}

export function documentOf({ fiscal_kind: kind, fiscal_key: key, fiscal_reason: reason }: Row): FiscalDocument | null {
  return kind && { kind, ...(key !== null && { key }), ...(reason !== null && { reason }) };
}
