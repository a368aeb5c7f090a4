import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { freePort } from './port.js';
import { createAuthority, startReceiver } from './receiver.js';
import { operatorLogin, startService } from './service.js';

/** Runs journeys (contracts/guides/journeys.md) with `redocly respect`, all in one process. */

export const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));
/** This journey makes the account that the other journeys sign in with. */
const FIRST = 'first-order.yaml';

/** Settings of the receivers that the journeys register. */
const RECEIVER_PASSWORD = 's3cr3t-of-the-receiver';

/** Settings for `redocly respect`: no telemetry, no update check, no colours. */
export const respectSettings = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };

/** Values of the journeys' inputs. Missing ones have the defaults of the journeys. */
export type Inputs = Readonly<Record<string, string>>;

/** The journeys of a folder, in the order in which they run. */
export async function journeysIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^[\w-]+\.yaml$/.test(name));
  const others = names.filter((name) => name !== FIRST).sort();
  return [...(names.includes(FIRST) ? [FIRST] : []), ...others].map((name) => join(folder, name));
}

/** All workflows of the journeys as `file: workflow`, in their order. */
export const workflowsOf = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const { workflows }: { workflows: { workflowId: string }[] } = parse(readFileSync(file, 'utf8'));
    return workflows.map(({ workflowId }) => `${basename(file)}: ${workflowId}`);
  });

/** `severities` are options of `redocly respect`, as `SCHEMA_CHECK=warn`. */
export async function runJourneys(files: readonly string[], url: string, inputs: Inputs, ...severities: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'malote-journeys-'));
  const report = join(folder, 'report.json');
  const env = {
    ...process.env,
    ...respectSettings,
    // Every user of the machine can read arguments, so inputs are passed here.
    REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(inputs),
    REDOCLY_CLI_RESPECT_SERVER: ['rest', 'operator', 'graphql'].map((name) => `${name}=${url}`).join(),
  };
  const args = [
    redocly,
    'respect',
    ...files,
    '--json-output',
    report,
    ...severities.flatMap((each) => ['--severity', each]),
  ];
  const [passed, output] = await new Promise<[boolean, string]>((resolve) => {
    execFile(process.execPath, args, { env, maxBuffer: 1e8 }, (error, out, err) => resolve([!error, out + err]));
  });
  const workflows = await workflowsIn(report).catch(() => []);
  await rm(folder, { recursive: true });
  return { passed, workflows, output: output.replace(/^.*JSON logs saved.*\n/m, '') };
}

async function workflowsIn(report: string): Promise<string[]> {
  const { files } = JSON.parse(await readFile(report, 'utf8'));
  return Object.entries<{ executedWorkflows: { workflowId: string }[] }>(files).flatMap(
    ([file, { executedWorkflows }]) => executedWorkflows.map(({ workflowId }) => `${basename(file)}: ${workflowId}`),
  );
}

/** Starts a service, and a customer's receiver that it may send to. */
export async function setStage() {
  const folder = await mkdtemp(join(tmpdir(), 'malote-journeys-'));
  const authority = await createAuthority();
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, authority.cert);
  const receiver = await startReceiver({ authority, password: RECEIVER_PASSWORD, port: await freePort() });
  const service = await startService({
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    WEBHOOK_PORTS: String(receiver.port),
    WEBHOOK_EXTRA_CA: ca,
  });
  // Addresses and credentials that the journeys use.
  const { email: operator_email, password: operator_password } = operatorLogin;
  const inputs: Inputs = { operator_email, operator_password, receiver: receiver.url };
  const stop = async () => {
    await service.stop();
    await receiver.close();
    await rm(folder, { recursive: true });
  };
  return { service, receiver, inputs, stop };
}
