import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { SheetError } from '../../../files/sheets.js';
import { throwUnreadable, wrongUsage } from '../../errors.js';

/** Reads a sheet from a file, or from standard input if the name is `-`. */
export async function readSheet<T>(
  file: string,
  stdin: NodeJS.ReadableStream,
  read: (bytes: Uint8Array) => Promise<T>,
): Promise<T> {
  const content = file === '-' ? await buffer(stdin) : await readFile(file).catch(throwUnreadable);
  try {
    return await read(content);
  } catch (error) {
    if (error instanceof SheetError) throw wrongUsage(error.message);
    throw error;
  }
}
