import { readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { command, option, required, type Session } from '../../command.js';
import { throwUnreadable, wrongUsage } from '../../errors.js';
import type { AnswerOf } from '../client.js';
import { operation } from '../operation.js';

const pictures = {
  photo: { get: 'getProofPhoto', put: 'putProofPhoto' },
  signature: { get: 'getProofSignature', put: 'putProofSignature' },
} as const;
type Picture = keyof typeof pictures;

const typesByEnding: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Reads a picture. Throws wrong usage if it cannot be read, or its name does not end like a picture's. */
export async function pictureFile(path: string): Promise<Buffer> {
  if (!typesByEnding[extname(path).toLowerCase()])
    throw wrongUsage(`${path} is not named as a picture: .jpg, .jpeg, .png or .webp.`);
  return readFile(path).catch(throwUnreadable);
}

export async function putPicture({ send }: Session, picture: Picture, loggiKey: string, bytes: Buffer): Promise<void> {
  await send(pictures[picture].put, { path: { loggi_key: loggiKey }, body: bytes });
}

/** Writes the pictures of a proof to a folder, and returns the names of the files. */
async function savePictures(session: Session, proof: AnswerOf<'getProof'>, folder: string): Promise<string[]> {
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

/** Writes one picture to a file. Throws RefusedError if the picture does not exist. */
async function savePicture({ send }: Session, picture: Picture, loggiKey: string, file: string): Promise<void> {
  const response = await send(pictures[picture].get, { path: { loggi_key: loggiKey } });
  await writeFile(file, Buffer.from(await response.arrayBuffer())).catch(throwUnreadable);
}

const EXAMPLE_KEY = '01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53';

const getting = (picture: Picture) =>
  command({
    usage: `packages ${picture} <package>`,
    summary: `Write the ${picture} of a delivery to a file.`,
    example: `${EXAMPLE_KEY} --output ${picture}.jpg`,
    options: { output: required(option('--output <path>', 'the file')) },
    run: (session, { output }, loggiKey) => savePicture(session, picture, loggiKey, output),
  });

const putting = (picture: Picture) =>
  command({
    usage: `packages put-${picture} <package> <path>`,
    summary: `Store the ${picture} of a delivery: JPEG, PNG or WebP of at most 1 MiB.`,
    example: `${EXAMPLE_KEY} ${picture}.jpg`,
    run: async (session, _options, loggiKey, path) => putPicture(session, picture, loggiKey, await pictureFile(path)),
  });

export const proofs = {
  getProof: command({
    usage: 'packages proof <package>',
    summary: 'Show who received a package; --output writes photo and signature into a folder, too.',
    example: `${EXAMPLE_KEY} --output .`,
    options: { output: option('--output <folder>', 'folder for photo and signature') },
    run: async (session, { output }, loggiKey) => {
      const proof = await session.call('getProof', { path: { loggi_key: loggiKey } });
      session.print.record(proof);
      if (output === undefined) return;
      for (const name of await savePictures(session, proof, output)) session.print.say(`Written: ${name}`);
    },
  }),

  getProofPhoto: getting('photo'),
  getProofSignature: getting('signature'),
  putProofPhoto: putting('photo'),
  putProofSignature: putting('signature'),

  getPinState: operation('getPinState', 'packages pin <package>', {
    summary: 'Show whether a package waits for its PIN, and how often a wrong one was sent.',
    example: EXAMPLE_KEY,
  }),

  overridePin: command({
    usage: 'packages override-pin <package>',
    summary: 'Let a package be delivered without its PIN.',
    example: `${EXAMPLE_KEY} --reason 'Mostrou um documento.'`,
    options: { reason: required(option('--reason <text>', 'why; it is stored')) },
    run: async ({ call, print }, { reason }, loggiKey) => {
      if (reason === '') throw wrongUsage('Give a reason.');
      print.record(await call('overridePin', { path: { loggi_key: loggiKey }, body: { reason } }));
    },
  }),
};
