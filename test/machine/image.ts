import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Makes the image of a Dockerfile by hand: each stage is a folder, and each instruction is done in it. */

const execute = promisify(execFile);

interface Instruction {
  name: string;
  text: string;
}

export interface Image {
  /** The folder that stands for WORKDIR. */
  folder: string;
  environment: Record<string, string>;
  command: string[];
  healthcheck: string[];
  user: string | undefined;
}

function instructionsIn(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const [, name = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return { name, text };
  });
}

/** Makes all stages in `root`, of the sources in the working directory. The last stage is the image. */
export async function makeImage(dockerfile: string, root: string): Promise<Image> {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const { name, text } of instructionsIn(await readFile(dockerfile, 'utf8'))) {
    if (name === 'FROM') {
      const stage = / AS (\w+)$/.exec(text)?.[1] ?? 'image';
      image = { folder: join(root, stage), environment: {}, command: [], healthcheck: [], user: undefined };
      stages.set(stage, image);
      await mkdir(image.folder);
    } else if (image) await follow({ name, text }, image, stages);
  }
  if (!image) throw new Error(`${dockerfile} has no stage`);
  return image;
}

async function follow({ name, text }: Instruction, image: Image, stages: ReadonlyMap<string, Image>): Promise<void> {
  if (name === 'COPY') await copy(text.split(' '), image, stages);
  else if (name === 'RUN') await run(text, image);
  else if (name === 'ENV' || name === 'ARG') {
    for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S*)/g)) image.environment[key] = value;
  } else if (name === 'USER') image.user = text;
  else if (name === 'CMD') image.command = JSON.parse(text);
  else if (name === 'HEALTHCHECK') image.healthcheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4));
  else if (name !== 'EXPOSE' && !(name === 'WORKDIR' && text === '/app')) throw new Error(`cannot do ${name} ${text}`);
}

async function copy(words: readonly string[], image: Image, stages: ReadonlyMap<string, Image>): Promise<void> {
  const stage = stages.get(/^--from=(\w+)$/.exec(words[0] ?? '')?.[1] ?? '');
  const sources = words.slice(stage ? 1 : 0, -1);
  const target = words.at(-1) ?? '';
  for (const source of sources) {
    const from = stage ? join(stage.folder, source.replace(/^\/app\//, '')) : resolve(source);
    const to = join(image.folder, target, target.endsWith('/') ? basename(source) : '');
    await cp(from, to, { recursive: true });
  }
}

/** Installs development packages by a link to those of this checkout, which are of the same lock file. */
async function run(command: string, { folder, environment }: Image): Promise<void> {
  if (command === 'npm ci') return symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const { PATH, HOME } = process.env;
  const cache = { npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
  // A machine's own cache is not the image's to clean.
  const script = command.replace(' && npm cache clean --force', '');
  await execute('sh', ['-e', '-c', script], { cwd: folder, env: { PATH, HOME, ...cache, ...environment } });
}
