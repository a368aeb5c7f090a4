import { keyRingsOf } from '../../base/keys.js';
import { reseal } from '../../db/reseal.js';
import { sealedTables } from '../../db/tables/sealed.js';
import { command } from '../command.js';
import { CommandError } from '../errors.js';
import { withTables } from './database.js';

export const keys = {
  reseal: command({
    usage: 'keys reseal',
    summary: `Seal all secrets of the database anew under the first of ENCRYPTION_KEYS, beside its running service.

To replace a key: put the new one first and keep the old one after it, restart every process, run this, then take the old key out.
It may be cut off and run again at any time.`,
    run: async ({ config, print }) => {
      const settings = config.service();
      const { key, resealed, complete } = await withTables(settings, async (db) => {
        const { encryptionKeys: ring } = await keyRingsOf(settings);
        const summary = await print.progress((at) =>
          reseal(db, ring, sealedTables, (looked, { what }) => at(looked, `${looked} ${what} looked at`)),
        );
        return { key: ring[0].id, ...summary };
      });
      print.record({ key, resealed });
      if (complete) return print.say(`Everything is sealed under "${key}"; other keys can be taken out.`);
      throw new CommandError(
        `A running process still seals under another key than "${key}": give it the new ring, then run this again.`,
        1,
      );
    },
  }),
};
