import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { DAY_MS } from '../../../base/clock.js';

export interface Certificate {
  path: string;
  isNew: boolean;
  cert: string;
  key: string;
}

/**
 * Reads or makes a certificate for this machine's own names. It is its own authority, and is stored in `directory`.
 * `WEBHOOK_EXTRA_CA` lets a service trust it.
 */
export async function certificateIn(directory: string): Promise<Certificate> {
  const path = join(directory, 'receiver.pem');
  const keyPath = join(directory, 'receiver.key');
  const stored = await read(path, keyPath);
  if (stored) return { ...stored, path, isNew: false };
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path, cert);
  await writeFile(keyPath, key, { mode: 0o600 });
  return { cert, key, path, isNew: true };
}

const altNames = [
  { type: 2 as const, value: 'localhost' },
  { type: 7 as const, ip: '127.0.0.1' },
  { type: 7 as const, ip: '::1' },
];

/** Reads the stored certificate. Undefined if it is missing, or expires within a day. */
async function read(path: string, keyPath: string): Promise<{ cert: string; key: string } | undefined> {
  try {
    const [cert, key] = await Promise.all([readFile(path, 'utf8'), readFile(keyPath, 'utf8')]);
    return Date.parse(new X509Certificate(cert).validTo) > Date.now() + DAY_MS ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
}
