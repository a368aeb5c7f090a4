import { keyRingsOf } from '../../../base/keys.js';
import { SealError } from '../../../base/seal.js';
import { reseal } from '../../../db/reseal.js';
import { sealedTables } from '../../sealed-tables.js';
import { command } from '../command.js';
import { CommandError } from '../failures.js';
import { withDatabase } from '../local.js';

export const keys = {
  reseal: command({
    usage: 'keys reseal',
    summary: `Seal all secrets of the database anew under the first of ENCRYPTION_KEYS, beside its running service.

To replace a key: put the new one first and keep the old one after it, restart every process, run this, then take the old key out.
It may be cut off and run again at any time.`,
    example: 'keys reseal',
    run: async ({ config, print }) => {
      const settings = config.service();
      const progress = print.progress();
      const { key, summary } = await withDatabase(settings, async (db) => {
        const { encryptionKeys: ring } = await keyRingsOf(settings);
        const summary = await reseal(db, ring, sealedTables, (looked, { what }) =>
          progress.at(looked, `${looked} ${what} looked at`),
        );
        return { key: ring[0].id, summary };
      })
        .catch((error: unknown) => {
          throw error instanceof SealError ? new CommandError(`${error.message}.`, 1, { cause: error }) : error;
        })
        .finally(() => progress.end());
      print.record({ key, resealed: summary.resealed });
      if (summary.complete) return print.say(`Everything is sealed under "${key}"; other keys can be taken out.`);
      throw new CommandError(
        `A running process still seals under another key than "${key}": give it the new ring, then run this again.`,
        1,
      );
    },
  }),
};
