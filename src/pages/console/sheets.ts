import { SheetError } from '../../files/sheets.js';
import type { Upload } from '../forms.js';
import { RefusalError } from '../operations.js';

// Reads sheets that operators upload. Errors name the line numbers that a spreadsheet shows.

/** Reads an uploaded sheet. A missing file counts as empty. Throws RefusalError for a file with another format. */
export async function readSheet<T>(file: Upload | undefined, read: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  try {
    return await read(file?.bytes ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    const { line, column, message } = error;
    const field = line === 1 ? 'file' : `lines.${line - 1}.${column}`;
    throw new RefusalError('VALIDATION_ERROR', 'invalid_fields', message, {
      details: [{ field, code: 'pattern', message }],
    });
  }
}

/** Rewrites the fields of a refusal: entry 0 of the list becomes line 2 of the file in the shown text. */
export const withLinesOf =
  (list: 'areas' | 'closed') =>
  (error: unknown): never => {
    if (!(error instanceof RefusalError)) throw error;
    const details = error.details.map(({ field, ...detail }) => ({
      ...detail,
      field: field.replace(new RegExp(`^${list}\\.(\\d+)`), (_, at) => `lines.${Number(at) + 1}`),
    }));
    throw new RefusalError(error.code, error.reason, error.message, { details });
  };
