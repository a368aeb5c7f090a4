import type { IncomingMessage } from 'node:http';
import type { Request } from 'got';

/** Bytes of an answer's body that are read, and those of them that are kept (contracts/guides/behaviour.md#webhook). */
const READ_BYTES = 64 * 1024;
const KEPT_BYTES = 4 * 1024;

export type Answer = { status: number; retryAfter?: string; body: string } | { error: Error };

/**
 * Reads an answer up to its end or 64 KiB, whichever comes first. The status counts as soon as it is there: what goes
 * wrong after it cuts the body short and no more.
 */
export function readAnswer(stream: Request): Promise<Answer> {
  return new Promise((resolve) => {
    let head: { status: number; retryAfter?: string } | undefined;
    let length = 0;
    const kept: Buffer[] = [];
    const finish = (error: Error) => resolve(head ? { ...head, body: textOf(kept) } : { error });
    stream.on('response', (response: IncomingMessage) => {
      const retryAfter = response.headers['retry-after'];
      head = { status: response.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }) };
    });
    stream.on('data', (chunk: Buffer) => {
      if (length < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - length));
      length += chunk.length;
      if (length < READ_BYTES) return;
      finish(new Error('unreachable: bytes come after the status'));
      stream.destroy();
    });
    stream.once('end', () => finish(new Error('the connection ended without an answer')));
    stream.once('close', () => finish(new Error('the connection was closed without an answer')));
    stream.on('error', finish);
  });
}

/** NUL cannot be stored; bytes that are not UTF-8 show as U+FFFD. */
const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');
