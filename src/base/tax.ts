/**
 * Brazil's tax ids. CPF: 11 digits. CNPJ: 12 letters or digits, and two digits; letters since July 2026 (Receita
 * Federal, Nota Técnica COCAD 49/2024). The last two are check digits modulo 11, where a character counts as its ASCII
 * code − 48.
 */
export interface TaxId {
  readonly kind: 'cpf' | 'cnpj';
  /** Without punctuation, in upper case. */
  readonly value: string;
}

export const fiscalRules = ['optional', 'required'] as const;
/** Tells whether a new package needs a fiscal document, or a reason for having none. */
export type FiscalRule = (typeof fiscalRules)[number];

export const WRONG_TAX_ID = 'must be a CPF or CNPJ: a check digit is wrong';

const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/i;
/** A formatted id: `529.982.247-25`, `12.ABC.345/01DE-35`. It has all of its punctuation or none. */
const FORMATTED = /^(\d{3}\.\d{3}\.\d{3}-\d{2}|[0-9A-Za-z]{2}\.[0-9A-Za-z]{3}\.[0-9A-Za-z]{3}\/[0-9A-Za-z]{4}-\d{2})$/;
/** Eleven or fourteen equal digits. The check digits fit, but such an id is never issued. */
const ONE_DIGIT = /^(\d)\1*$/;

/** Reads a tax id with or without punctuation. Undefined if it is not a tax id, or if a check digit is wrong. */
export function readTaxId(text: string): TaxId | undefined {
  const bare = FORMATTED.test(text) ? text.replaceAll(/[./-]/g, '') : text;
  const kind = CPF.test(bare) ? 'cpf' : CNPJ.test(bare) ? 'cnpj' : undefined;
  const value = bare.toUpperCase();
  return kind && !ONE_DIGIT.test(bare) && endsRight(value, kind === 'cpf' ? 11 : 9) ? { kind, value } : undefined;
}

function endsRight(value: string, maxWeight: number): boolean {
  const first = checkDigit(value.slice(0, -2), maxWeight);
  return value.endsWith(`${first}${checkDigit(`${value.slice(0, -2)}${first}`, maxWeight)}`);
}

/**
 * Computes a check digit. From the right, weights are 2, 3 and so on up to `maxWeight`, then 2 again. Remainders 0 and
 * 1 give 0.
 */
export function checkDigit(text: string, maxWeight: number): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++)
    sum += (text.charCodeAt(text.length - 1 - at) - 48) * (2 + (at % (maxWeight - 1)));
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}

export type FiscalKind = AccessKey['kind'] | 'none';

/**
 * The access key (chave de acesso) of a fiscal document, by the NF-e's Manual de Orientação do Contribuinte. It has 44
 * characters, with letters only at 7–18.
 */
export interface AccessKey {
  readonly kind: 'nfe' | 'dce';
  readonly value: string;
  readonly issuer: TaxId;
  /** Up to nine digits, without leading zeros. */
  readonly number: string;
}

const KEY =
  /^(1[1-7]|2[1-9]|3[1235]|4[1-3]|5[0-3])\d{2}(?:0[1-9]|1[0-2])([0-9A-Z]{12}\d{2})(55|99)\d{3}(\d{9})\d{9}\d$/;

/**
 * Reads an access key, with or without blanks between groups of four. Undefined if a part or the check digit is wrong.
 */
export function readAccessKey(text: string): AccessKey | undefined {
  const value = text.replaceAll(' ', '').toUpperCase();
  const [, , issuer = '', model, number = ''] = KEY.exec(value) ?? [];
  const issuerId = readTaxId(issuer) ?? (issuer.startsWith('000') ? readTaxId(issuer.slice(3)) : undefined);
  if (!issuerId || Number(value.at(-1)) !== checkDigit(value.slice(0, -1), 9)) return undefined;
  return { kind: model === '55' ? 'nfe' : 'dce', value, issuer: issuerId, number: number.replace(/^0+(?=\d)/, '') };
}
