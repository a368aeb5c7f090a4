import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';

/** The folder of the deployment's files. */
const folder = new URL('../../deploy/cluster/', import.meta.url);

/** A service of compose.yaml with its variables filled in. */
export interface Service {
  name: string;
  command: [string, ...string[]];
  environment: Record<string, string>;
  /** Its configuration files, by their paths inside the container. */
  files: { path: string; text: string }[];
  /** Folders inside the container that it writes to. A volume used by several services is shared. */
  folders: { path: string; isShared: boolean }[];
}

export interface Compose {
  variables: Record<string, string>;
  services: ReadonlyMap<string, Service>;
}

interface ComposeFile {
  services: Record<string, ServiceEntry>;
  configs: Record<string, { file?: string; content?: string }>;
}

interface ServiceEntry {
  command: [string, ...string[]];
  environment?: Record<string, string>;
  configs?: { source: string; target: string }[];
  volumes?: string[];
  tmpfs?: string;
}

const textOf = (name: string): Promise<string> => readFile(new URL(name, folder), 'utf8');

/** Reads the deployment's compose.yaml. Empty variables of .env.example get random values. */
export async function readCompose(): Promise<Compose> {
  const variables = filledIn(parseEnv(await textOf('.env.example')));
  const { services, configs }: ComposeFile = parse(interpolated(await textOf('compose.yaml'), variables), {
    merge: true,
  });
  const contentOf = async (source: string): Promise<string> => {
    const { file, content } = configs[source] ?? {};
    return content ?? textOf(file ?? '');
  };
  const users = new Map<string, number>();
  for (const volume of Object.values(services).flatMap((each) => each.volumes ?? [])) {
    const [name = ''] = volume.split(':');
    users.set(name, (users.get(name) ?? 0) + 1);
  }
  const entries = Object.entries(services).map(async ([name, entry]): Promise<[string, Service]> => {
    const { command, environment = {}, configs: used = [], volumes = [], tmpfs } = entry;
    const files = used.map(async ({ source, target }) => ({ path: target, text: await contentOf(source) }));
    const written = volumes.map((volume) => volume.split(':')).filter(([, , mode]) => mode !== 'ro');
    const folders = [
      ...written.map(([volume = '', path = '']) => ({ path, isShared: (users.get(volume) ?? 0) > 1 })),
      ...(tmpfs ? [{ path: tmpfs, isShared: false }] : []),
    ];
    return [name, { name, command, environment, files: await Promise.all(files), folders }];
  });
  return { variables, services: new Map(await Promise.all(entries)) };
}

function filledIn(variables: NodeJS.Dict<string>): Record<string, string> {
  const entries = Object.entries(variables).map(([name, value]) => [name, value || generated(name)]);
  return Object.fromEntries(entries);
}

const generated = (name: string): string =>
  /_KEYS|_SECRETS$/.test(name) ? `k1:${randomBytes(32).toString('base64')}` : randomBytes(16).toString('hex');

function interpolated(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\{(\w+)(:\?)?\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`compose.yaml uses ${name}, which .env.example does not have`);
    return value;
  });
}
