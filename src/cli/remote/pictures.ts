import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { components } from '../../../generated/operator.js';
import type { Session } from '../command.js';
import { unreadable, wrongUsage } from '../errors.js';
import { bodyOf, done } from './client.js';

/** Photos and signatures of deliveries, as files. */

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

// The generated types have bytes as texts.
const sending = (loggiKey: string, picture: Buffer) => ({
  params: { path: { loggi_key: loggiKey } },
  headers: { 'Content-Type': 'application/octet-stream' },
  body: '',
  bodySerializer: () => picture,
});

export const putPhoto = ({ operator }: Session, loggiKey: string, picture: Buffer): Promise<void> =>
  done(operator.PUT('/operator/v1/packages/{loggi_key}/proof/photo', sending(loggiKey, picture)));

export const putSignature = ({ operator }: Session, loggiKey: string, picture: Buffer): Promise<void> =>
  done(operator.PUT('/operator/v1/packages/{loggi_key}/proof/signature', sending(loggiKey, picture)));

type Proof = components['schemas']['DeliveryProof'];

/** Writes the pictures of a proof to a folder; resolves to the names of the files. */
export async function savePictures(session: Session, proof: Proof, folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const kind of ['photo', 'signature'] as const) {
    const picture = proof[kind];
    if (!picture) continue;
    const name = join(folder, `${proof.loggi_key}-${kind}${endingOf(picture.media_type)}`);
    await savePicture(session, { kind, loggiKey: proof.loggi_key }, name);
    names.push(name);
  }
  return names;
}

const endingOf = (type: string): string =>
  Object.entries(typesByEnding).find(([, each]) => each === type)?.[0] ?? '.bin';

/** Writes one picture to a file. Throws RefusedError when there is none. */
export async function savePicture(
  { operator }: Session,
  { kind, loggiKey }: { kind: 'photo' | 'signature'; loggiKey: string },
  file: string,
): Promise<void> {
  const options = { params: { path: { loggi_key: loggiKey } }, parseAs: 'arrayBuffer' } as const;
  const call =
    kind === 'photo'
      ? operator.GET('/operator/v1/packages/{loggi_key}/proof/photo', options)
      : operator.GET('/operator/v1/packages/{loggi_key}/proof/signature', options);
  await writeFile(file, Buffer.from(await bodyOf(call))).catch((error: unknown) => {
    throw unreadable(error);
  });
}
