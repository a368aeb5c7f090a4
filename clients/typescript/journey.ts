import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { command, repeated } from '../../src/cli/command.js';
import { CommandError, unreachable, wrongUsage } from '../../src/cli/errors.js';

const respect = `@redocly/cli@${packageJson.devDependencies['@redocly/cli']}`;

const options = {
  input: repeated('--input <name=value>', 'input of the journey; the head of its file lists them'),
  workflow: repeated('--workflow <id>', 'one workflow of several'),
};

export const journey = command({
  usage: 'journey <name>',
  summary: `Run a journey of the service's contracts against the service, and check every answer by the contract.

Redocly CLI runs it, which npx fetches. "quote-then-order", "product-to-label" and "track" need an account and no
operator. Account and password are MALOTE_EMAIL and MALOTE_PASSWORD, or --input email=… --input password=….`,
  example: 'quote-then-order --url https://malote.example --input email=ana@example.com',
  options,
  run: async ({ config, url }, { input = [], workflow = [] }, name) => {
    if (!/^[\w-]+$/.test(name)) throw wrongUsage('A journey is named like its file: quote-then-order.');
    const folder = await mkdtemp(join(tmpdir(), 'malote-journey-'));
    try {
      await download(url, folder, name);
      const { maloteEmail: email, malotePassword: password } = config;
      const account = Object.entries({ email, password }).filter(([, value]) => value !== undefined);
      const inputs = Object.fromEntries([...account, ...input.map((pair) => pair.split(/=(.*)/s))]);
      await run(
        ['respect', join(folder, `journeys/${name}.yaml`), ...workflow.flatMap((id) => ['--workflow', id])],
        // Pass these in the environment, because every user of the machine can read arguments.
        {
          REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(inputs),
          REDOCLY_CLI_RESPECT_SERVER: ['rest', 'operator', 'graphql'].map((source) => `${source}=${url}`).join(),
        },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

/** Stores the journey and its files in the same layout in which the service publishes them. */
async function download(url: string, folder: string, name: string): Promise<void> {
  const files = [`journeys/${name}.yaml`, 'openapi.yaml', 'operator.openapi.yaml', 'journeys/graphql.openapi.yaml'];
  await mkdir(join(folder, 'journeys'));
  for (const file of files) {
    const answer = await fetch(`${url}/docs/${file}`).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    if (!answer.ok) throw wrongUsage(`There is no ${file} at ${url}/docs/ (${answer.status}).`);
    await writeFile(join(folder, file), await answer.text());
  }
}

async function run(args: readonly string[], settings: NodeJS.ProcessEnv): Promise<void> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', ...settings };
  // Name the package explicitly: if npx runs this command, it passes its own `--package` on to the commands that it
  // starts.
  const child = spawn('npx', ['--yes', `--package=${respect}`, '--', 'redocly', ...args], {
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new CommandError('The journey failed.', 1);
}
