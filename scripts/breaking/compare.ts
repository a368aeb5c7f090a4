import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphqlBreaks } from './graphql.js';
import { openapiBreaks } from './openapi.js';
import { webhookBreaks } from './webhook.js';

/** The contracts, which are released together. */
export const CONTRACTS = [
  'openapi.yaml',
  'operator.openapi.yaml',
  'schema.graphql',
  'tracking-webhook.schema.json',
] as const;

export type Contract = (typeof CONTRACTS)[number];

export const isReleased = (folder: string): boolean => CONTRACTS.every((file) => existsSync(join(folder, file)));

async function breaksOf(file: Contract, released: string, current: string): Promise<string[]> {
  const text = (folder: string): string => readFileSync(join(folder, file), 'utf8');
  switch (file) {
    case 'openapi.yaml':
    case 'operator.openapi.yaml':
      return openapiBreaks(released, current, file);
    case 'schema.graphql':
      return graphqlBreaks(text(released), text(current));
    case 'tracking-webhook.schema.json':
      return webhookBreaks(JSON.parse(text(released)), JSON.parse(text(current)));
  }
}

/** For each contract the lines that say what would break its clients; none when all is well. Both are folders. */
export async function compareContracts(released: string, current: string): Promise<Map<Contract, string[]>> {
  const found = CONTRACTS.map(async (file) => [file, await breaksOf(file, released, current)] as const);
  return new Map(await Promise.all(found));
}
