import { command, option, required } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import { bodyOf } from '../client.js';
import { pictureFile, putPhoto, putSignature, savePicture, savePictures } from '../pictures.js';

const EXAMPLE_KEY = '01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53';

const at = (loggiKey: string) => ({ params: { path: { loggi_key: loggiKey } } });

/** A command that stores a picture of a delivery in a file. */
const getting = (kind: 'photo' | 'signature') =>
  command<{ output: string }>({
    usage: `packages ${kind} <package>`,
    summary: `Write the ${kind} of a delivery to a file.`,
    example: `packages ${kind} ${EXAMPLE_KEY} --output ${kind}.jpg`,
    options: [required(option('--output <path>', 'the file'))],
    run: (session, { output }, loggiKey) => savePicture(session, { kind, loggiKey }, output),
  });

const putting = (kind: 'photo' | 'signature', put: typeof putPhoto) =>
  command({
    usage: `packages put-${kind} <package> <path>`,
    summary: `Store the ${kind} of a delivery: JPEG, PNG or WebP of at most 1 MiB.`,
    example: `packages put-${kind} ${EXAMPLE_KEY} ${kind}.jpg`,
    run: async (session, _options, loggiKey, path) => put(session, loggiKey, await pictureFile(path)),
  });

export const proofs = {
  getProof: command<{ output?: string }>({
    usage: 'packages proof <package>',
    summary: 'Show who received a package; --output writes photo and signature into a folder, too.',
    example: `packages proof ${EXAMPLE_KEY} --output .`,
    options: [option('--output <folder>', 'folder for photo and signature')],
    run: async (session, { output }, key) => {
      const proof = await bodyOf(session.operator.GET('/operator/v1/packages/{loggi_key}/proof', at(key)));
      session.print.record(proof);
      if (output === undefined) return;
      for (const name of await savePictures(session, proof, output)) session.print.say(`Written: ${name}`);
    },
  }),

  getProofPhoto: getting('photo'),
  getProofSignature: getting('signature'),
  putProofPhoto: putting('photo', putPhoto),
  putProofSignature: putting('signature', putSignature),

  getPinState: command({
    usage: 'packages pin <package>',
    summary: 'Show whether a package waits for its PIN, and how often a wrong one was sent.',
    example: `packages pin ${EXAMPLE_KEY}`,
    run: async ({ operator, print }, _options, key) =>
      print.record(await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/pin', at(key)))),
  }),

  overridePin: command<{ reason: string }>({
    usage: 'packages override-pin <package>',
    summary: 'Let a package be delivered without its PIN.',
    example: `packages override-pin ${EXAMPLE_KEY} --reason 'Mostrou um documento.'`,
    options: [required(option('--reason <text>', 'why; it is stored'))],
    run: async ({ operator, print }, { reason }, key) => {
      if (reason === '') throw wrongUsage('Give a reason.');
      const call = operator.POST('/operator/v1/packages/{loggi_key}/pin/override', { ...at(key), body: { reason } });
      print.record(await bodyOf(call));
    },
  }),
};
