import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { malote, operatorOf } from '../../cli/malote.js';
import { blocksOf } from '../../docs/both-sides.js';
import { atPackage, bodyOf, placeOrder } from '../../operator/fixtures.js';
import { ownFolder } from '../../support/folder.js';
import { jpeg } from '../../support/pictures.js';
import { ownService } from '../../support/services.js';

/** Every block of the guide's page for couriers' apps runs unchanged, and prints the shown output. */

const GUIDE = 'contracts/guides/courier.md';
const END = '--- end of block';

const service = await ownService();
const folder = await ownFolder();
const customer = await service.customer();
const { packages } = await placeOrder(customer);
const [{ loggi_key: loggiKey = '', barcode = '' } = {}] = packages;
const list = await bodyOf(customer.rest.POST('/api/v1/collections', { body: { loggi_keys: [loggiKey] } }));

const withoutIds = (text: string): string => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');

/** A shell function that runs the operator's command line. */
function maloteFunction(): string {
  const { command, args, env } = operatorOf(service).program([]);
  const settings = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  return `malote() { env ${settings.join(' ')} '${command}' ${args.map((each) => `'${each}'`).join(' ')} "$@"; }`;
}

test('the key is made, packages are listed, scanned, stopped and delivered with a picture', async () => {
  await writeFile(join(folder, 'door.jpg'), jpeg());
  const blocks = blocksOf(GUIDE);
  const commands = blocks.flatMap(({ language, text }) => (language === 'sh' ? [text] : []));
  const here = [
    ['https://malote.example', service.url],
    // The secret that the first block printed.
    ['mok_…', "$(grep -o 'mok_[A-Za-z0-9_-]*' key.txt)"],
    ['378912345678901232', barcode],
    ['C7ZK3M9P2QP1S', list.code],
  ] as const;
  const [makeKey = '', ...calls] = commands.map((text) =>
    here.reduce((each, [shown, is]) => each.replaceAll(shown, is), text),
  );
  const script = [`${makeKey.trim()} > key.txt`, ...calls].join(`\necho '${END}'\n`);
  const shell = ['-e', '-o', 'pipefail', '-c', `${maloteFunction()}\n${script}`];
  const run = promisify(execFile)('bash', shell, { cwd: folder });
  const printed = withoutIds((await run).stdout).split(`${END}\n`);

  // The texts below blocks of shell are their outputs.
  const shownBelow = blocks
    .filter(({ language }) => language === 'sh' || language === 'text')
    .flatMap(({ language }, at, all) => (language === 'sh' ? [all[at + 1]] : []))
    .map((next) => (next?.language === 'text' ? withoutIds(next.text) : undefined));
  expect(shownBelow.filter((text) => text !== undefined)).toHaveLength(2);
  expect(printed.map((text, at) => (shownBelow[at] === undefined ? undefined : text))).toEqual(shownBelow);
  expect(printed.join('')).not.toMatch(/"error"|"result":"refused"/);
  expect(printed.some((text) => text.includes(barcode))).toBe(true);
  expect(printed.at(-1)).toBe('204\n');

  const { operator } = service.operator;
  const { data } = await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(loggiKey)));
  expect(data.map(({ status_code }) => status_code)).toEqual([5, 6, 18, 14, 11, 1]);
  const proof = await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/proof', atPackage(loggiKey)));
  expect(proof).toMatchObject({ recipient_name: 'Marta Lima', photo: { media_type: 'image/jpeg' } });
});

test('the key of the guide cannot call other operations', async () => {
  const body = { name: 'Phone of Davi', scope: 'courier' } as const;
  const { secret } = await bodyOf(service.operator.operator.POST('/operator/v1/operator-keys', { body }));
  const phone = malote({ MALOTE_URL: service.url, OPERATOR_KEY: secret });
  for (const command of ['tasks list', 'endpoints list', 'audit-log list', 'packages list', 'operator-keys list'])
    expect([command, await phone.run(command)]).toEqual([command, expect.objectContaining({ code: 1 })]);
  expect((await phone.run('packages list --open')).code).toBe(0);
});
