import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { webhookBreaks } from './directions.js';
import { graphqlBreaks } from './graphql.js';
import { openapiBreaks } from './openapi.js';

/** The contracts, which are released together. */
export const contractFiles = [
  'openapi.yaml',
  'operator.openapi.yaml',
  'schema.graphql',
  'tracking-webhook.schema.json',
] as const;

export type Contract = (typeof contractFiles)[number];

export const isReleased = (folder: string): boolean => contractFiles.every((file) => existsSync(join(folder, file)));

export const textOf = (folder: string, file: Contract): string => readFileSync(join(folder, file), 'utf8');

/** Both descriptions have one version. Throws when they differ or it is not of three numbers. */
export function versionOf(folder: string): string {
  const descriptions = ['openapi.yaml', 'operator.openapi.yaml'] as const;
  const versions = descriptions.map((file) => String(parse(textOf(folder, file)).info?.version));
  const [version = ''] = versions;
  if (versions.some((each) => each !== version))
    throw new Error(`the contracts differ in version: ${versions.join(', ')}`);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 1.2.0`);
  return version;
}

async function breaksOf(file: Contract, released: string, current: string): Promise<string[]> {
  switch (file) {
    case 'openapi.yaml':
    case 'operator.openapi.yaml':
      return openapiBreaks(released, current, file);
    case 'schema.graphql':
      return graphqlBreaks(textOf(released, file), textOf(current, file));
    case 'tracking-webhook.schema.json':
      return webhookBreaks(JSON.parse(textOf(released, file)), JSON.parse(textOf(current, file)));
  }
}

/** For each contract the lines that say what would break its clients; none when all is well. Both are folders. */
export async function compareContracts(released: string, current: string): Promise<Map<Contract, string[]>> {
  const comparisons = contractFiles.map(async (file) => [file, await breaksOf(file, released, current)] as const);
  return new Map(await Promise.all(comparisons));
}
