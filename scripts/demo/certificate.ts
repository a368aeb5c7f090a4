import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  /** PEM of the certificate, which is its own authority. */
  cert: string;
  key: string;
  /** Where `WEBHOOK_EXTRA_CA` finds the certificate. */
  path: string;
  isNew: boolean;
}

/** The receiver's certificate for localhost, kept in `directory` so that a service that is started later can trust it. */
export async function certificateIn(directory: string): Promise<Certificate> {
  const path = join(directory, 'receiver.pem');
  const keyPath = join(directory, 'receiver.key');
  try {
    return { cert: await readFile(path, 'utf8'), key: await readFile(keyPath, 'utf8'), path, isNew: false };
  } catch {
    const made = await generate([{ name: 'commonName', value: 'localhost' }], {
      keySize: 2048,
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    await mkdir(directory, { recursive: true });
    await writeFile(path, made.cert);
    await writeFile(keyPath, made.private, { mode: 0o600 });
    return { cert: made.cert, key: made.private, path, isNew: true };
  }
}
