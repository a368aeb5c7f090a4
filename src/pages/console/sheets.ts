import { SheetError } from '../../files/sheets.js';
import type { Upload } from '../forms.js';
import { RefusalError } from '../operations.js';

// Sheets that operators upload: faults speak of lines of the file, as a spreadsheet counts them.

/** Reads an uploaded sheet; no file is an empty one. Throws RefusalError for a file that is no such sheet. */
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

/** Lets a refusal speak of lines of the file, whose first entry of the list is line 2. */
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
