import { notFound } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import { namesOfAccounts } from './account-statements.js';
import { createSums, pagesOfLines, type StatementLine, type StatementSums } from './lines.js';
import type { Month } from './months.js';
import { type FileLanguage, fileHead, fileLines } from './statement-file.js';
import { begunMonth, type Closing, closingOf } from './statements.js';

/** A statement whose lines are read while it is sent. */
export interface StatementReading {
  month: Month;
  closing: Closing | undefined;
  pages: AsyncGenerator<StatementLine[]>;
  /** The sums of the lines that were read. */
  sums: () => StatementSums;
}

/**
 * Reads the first lines of an account's month; the others follow on demand. Throws NOT_FOUND for a month without lines,
 * and VALIDATION_ERROR for a month in the future.
 */
export async function readStatement(db: Db, monthName: string, accountId: string): Promise<StatementReading> {
  const month = await begunMonth(db, monthName);
  const closing = await closingOf(db, accountId, month);
  const sums = createSums();
  const pages = await begun(pagesOfLines(db, { month, accountId }));
  async function* added(): AsyncGenerator<StatementLine[]> {
    for await (const lines of pages) {
      sums.add(lines);
      yield lines;
    }
  }
  return { month, closing, pages: added(), sums: sums.result };
}

/** Reads the first page, and returns all pages. Throws NOT_FOUND for a month without lines. */
async function begun(pages: AsyncGenerator<StatementLine[]>): Promise<AsyncGenerator<StatementLine[]>> {
  const first = await pages.next();
  if (first.done) throw notFound('statement of this month');
  async function* all(): AsyncGenerator<StatementLine[]> {
    if (!first.done) yield first.value;
    yield* pages;
  }
  return all();
}

/** The file of a statement. Once the month is closed, every later file is the same. */
export async function* statementFile({ pages }: StatementReading, language: FileLanguage): AsyncGenerator<string> {
  yield fileHead(language);
  for await (const lines of pages) yield fileLines(lines, language);
}

/** The file of all lines of a month, with the present names of the accounts. Throws as `readStatement` does. */
export async function monthFile(db: Db, monthName: string, language: FileLanguage): Promise<AsyncGenerator<string>> {
  const month = await begunMonth(db, monthName);
  const pages = await begun(pagesOfLines(db, { month, accountId: undefined }));
  async function* parts(): AsyncGenerator<string> {
    yield fileHead(language, { ofAll: true });
    for await (const lines of pages) {
      const names = await namesOfAccounts(db, [...new Set(lines.map((line) => line.accountId))]);
      yield fileLines(lines, language, names);
    }
  }
  return parts();
}

/** Headers of a file or, without a language, of JSON. The ETag of a closed month comes from the digest of its file. */
export function statementHeaders({ month, closing }: StatementReading, language?: FileLanguage) {
  const digest = language === 'en' ? closing?.sha256.en : closing?.sha256.pt;
  return {
    ...(language ? fileName(month.name, language) : jsonName(month.name)),
    ...(digest !== undefined && { ETag: language ? `"${digest}"` : `"json-${digest.slice(0, 32)}"` }),
  };
}

/** The file name for JSON. Browsers show the answer instead of saving it. */
export const jsonName = (month: string) => ({ 'Content-Disposition': `inline; filename="statement-${month}.json"` });

export const fileName = (month: string, language: FileLanguage) => ({
  'Content-Disposition': `attachment; filename="${language === 'en' ? 'statement' : 'extrato'}-${month}.csv"`,
});
