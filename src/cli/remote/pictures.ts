import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Session } from '../command.js';
import { unreadable, wrongUsage } from '../errors.js';
import type { AnswerOf } from './client.js';

const pictures = {
  photo: { get: 'getProofPhoto', put: 'putProofPhoto' },
  signature: { get: 'getProofSignature', put: 'putProofSignature' },
} as const;
export type Picture = keyof typeof pictures;

const typesByEnding: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Reads a picture. Throws wrong usage, for a file that is not named as one too. */
export async function pictureFile(path: string): Promise<Buffer> {
  if (!typesByEnding[extname(path).toLowerCase()])
    throw wrongUsage(`${path} is not named as a picture: .jpg, .jpeg, .png or .webp.`);
  return readFile(path).catch((error: unknown) => {
    throw unreadable(error);
  });
}

export async function putPicture({ send }: Session, picture: Picture, loggiKey: string, bytes: Buffer): Promise<void> {
  await send(pictures[picture].put, { path: { loggi_key: loggiKey }, body: bytes });
}

/** Writes the pictures of a proof to a folder; resolves to the names of the files. */
export async function savePictures(session: Session, proof: AnswerOf<'getProof'>, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const picture of ['photo', 'signature'] as const) {
    const type = proof[picture]?.media_type;
    if (type === undefined) continue;
    const [ending = '.bin'] = Object.entries(typesByEnding).find(([, each]) => each === type) ?? [];
    const name = join(folder, `${proof.loggi_key}-${picture}${ending}`);
    await savePicture(session, picture, proof.loggi_key, name);
    names.push(name);
  }
  return names;
}

/** Writes one picture to a file. Throws RefusedError when it is missing. */
export async function savePicture({ send }: Session, picture: Picture, loggiKey: string, file: string): Promise<void> {
  const response = await send(pictures[picture].get, { path: { loggi_key: loggiKey } });
  await writeFile(file, Buffer.from(await response.arrayBuffer())).catch((error: unknown) => {
    throw unreadable(error);
  });
}
