import { createHash } from 'node:crypto';
import { formatMoney } from '../../base/money.js';
import type { LedgerKind } from '../../db/tables/ledger.js';
import type { Service } from '../../db/tables/prices.js';
import { BYTE_ORDER_MARK, type Cell, csvLine, protectedCell } from '../../files/csv.js';
import type { StatementLine } from './lines.js';
import { saoPauloTime } from './months.js';

// The file of a closed month must stay the same to the byte, and its digest is stored. So its words and columns are
// defined here, apart from those of the pages. A change here must affect only open months.

export type FileLanguage = 'pt-BR' | 'en';

type Words = Readonly<Record<FileLanguage, string>>;

const kindWords: Readonly<Record<LedgerKind, Words>> = {
  order_created: { 'pt-BR': 'Pedido', en: 'Order' },
  return_created: { 'pt-BR': 'Devolução', en: 'Return' },
  package_cancelled: { 'pt-BR': 'Cancelamento de pacote', en: 'Package cancelled' },
  address_changed: { 'pt-BR': 'Mudança de endereço', en: 'Address changed' },
  price_changed: { 'pt-BR': 'Outra mudança de preço', en: 'Other change of price' },
};

const serviceWords: Readonly<Record<Service, Words>> = {
  express: { 'pt-BR': 'Expresso', en: 'Express' },
  economy: { 'pt-BR': 'Econômico', en: 'Economy' },
};

/** The time as spreadsheets of the language read it: `30/11/2026 23:59:59`, or `2026-11-30 23:59:59`. */
function fileTime(at: Date, language: FileLanguage): string {
  const time = saoPauloTime(at);
  return language === 'pt-BR' ? time.replace(/^(\d{4})-(\d{2})-(\d{2})/, '$3/$2/$1') : time;
}

function fileAmount(centavos: number, language: FileLanguage): string {
  const amount = formatMoney(centavos);
  return language === 'pt-BR' ? amount.replace('.', ',') : amount;
}

type Column = readonly [heading: Words, cell: (line: StatementLine, language: FileLanguage) => Cell];

const columns: readonly Column[] = [
  [{ 'pt-BR': 'Data e hora', en: 'Time' }, ({ at }, language) => fileTime(at, language)],
  [{ 'pt-BR': 'Lançamento', en: 'Entry' }, ({ kind }, language) => kindWords[kind][language]],
  [{ 'pt-BR': 'Pedido', en: 'Order' }, ({ orderId }) => orderId],
  [{ 'pt-BR': 'Número externo', en: 'External id' }, ({ externalId }) => protectedCell(externalId)],
  [{ 'pt-BR': 'Pacote', en: 'Package' }, ({ loggiKey }) => loggiKey],
  [{ 'pt-BR': 'Serviço', en: 'Service' }, ({ service }, language) => serviceWords[service][language]],
  [{ 'pt-BR': 'Forma de pagamento', en: 'Payment method' }, ({ paymentMethodId }) => paymentMethodId],
];

const amountColumn: Column = [
  { 'pt-BR': 'Valor (R$)', en: 'Amount (BRL)' },
  ({ centavos }, language) => fileAmount(centavos, language),
];

const accountHeadings: readonly Words[] = [
  { 'pt-BR': 'Conta', en: 'Account' },
  { 'pt-BR': 'Nome da conta', en: 'Account name' },
];

/** Forms of the file. Portuguese spreadsheets have a comma in numbers, so a semicolon separates cells. */
const forms = {
  'pt-BR': { separator: ';', begin: BYTE_ORDER_MARK },
  en: { separator: ',', begin: '' },
} as const satisfies Record<FileLanguage, object>;

/** Names of accounts by id, for a file of all accounts. */
export type AccountNames = ReadonlyMap<string, string>;

export function fileHead(language: FileLanguage, { ofAll = false } = {}): string {
  const { separator, begin } = forms[language];
  const headings = [...(ofAll ? accountHeadings : []), ...[...columns, amountColumn].map(([heading]) => heading)];
  return (
    begin +
    csvLine(
      headings.map((heading) => heading[language]),
      separator,
    )
  );
}

export function fileLines(lines: readonly StatementLine[], language: FileLanguage, names?: AccountNames): string {
  const { separator } = forms[language];
  const cellsOf = (line: StatementLine): Cell[] => [
    ...(names ? [line.accountId, protectedCell(names.get(line.accountId) ?? null)] : []),
    ...[...columns, amountColumn].map(([, cell]) => cell(line, language)),
  ];
  return lines.map((line) => csvLine(cellsOf(line), separator)).join('');
}

/** Computes the digest of a file, in hexadecimal like `sha256sum`. */
export function createDigest(language: FileLanguage) {
  const hash = createHash('sha256').update(fileHead(language));
  return {
    add: (lines: readonly StatementLine[]): void => void hash.update(fileLines(lines, language)),
    result: (): string => hash.digest('hex'),
  };
}
