/**
 * Makes the client packages of the contracts: npm run clients [-- LANGUAGE [FOLDER]]. All of them into
 * dist/clients/LANGUAGE, or one of them into a folder of its own.
 */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { python } from './python/build.js';
import { checkPython } from './python/check.js';
import { typescript } from './typescript/build.js';

/** Writes the package of one language into an empty folder; throws what is wrong with it. */
type Build = (folder: string) => Promise<void>;

const builds: Readonly<Record<string, Build>> = { python, typescript };

/** Checks by tools of another language; each throws what they say of the package in the folder. */
const checks: Readonly<Record<string, Build>> = { python: checkPython };

await new Command('npm run clients --')
  .description('Makes the client packages of the contracts.')
  .addArgument(new Argument('[language]').choices(Object.keys(builds)))
  .argument('[folder]', 'where to, instead of dist/clients/LANGUAGE')
  .option('--check', 'have it checked by tools of its language, which are installed for that')
  .action(async (only: string | undefined, folder: string | undefined, { check }: { check?: true }) => {
    for (const [language, build] of Object.entries(builds)) {
      if (only !== undefined && language !== only) continue;
      const target = folder ?? fileURLToPath(new URL(`../dist/clients/${language}`, import.meta.url));
      await rm(target, { recursive: true, force: true });
      await build(target);
      if (check) await checks[language]?.(target);
      console.log(`${language} is in ${target}`);
    }
  })
  .parseAsync();
