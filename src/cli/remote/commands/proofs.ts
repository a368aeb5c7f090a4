import { command, option, required } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import { operation } from '../operation.js';
import { type Picture, pictureFile, putPicture, savePicture, savePictures } from '../pictures.js';

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
