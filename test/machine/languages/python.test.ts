import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { python } from '../../../clients/python/build.js';
import { at, bodyOf, movement, placeOrder, resultsOf } from '../../operator/fixtures.js';
import { ownFolder } from '../../support/folder.js';
import type { Received } from '../../support/receiver.js';
import { operatorLogin } from '../../support/service.js';
import { ownService, trustedReceiver } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';

/** The Python package from `npm run clients`, against the running service. Its tests are in `python`. */

const basic = { username: 'malote', password: 's3cr3t-of-the-receiver' };
const { receiver, settings } = await trustedReceiver(basic);
const folder = await ownFolder();
const service = await ownService(settings, {});

describeWith('python', 'the package of Python', (path) => {
  let world: object;

  beforeAll(async () => {
    await python(join(folder, 'package'));
    world = {
      url: service.url,
      operator: operatorLogin,
      untrusted: `https://localhost:${receiver.port}`,
      basic,
      ...(await updates()),
    };
  });

  /** Two received tracking updates: one signed with one secret, and one signed while two are valid. */
  async function updates() {
    const { operator } = service.operator;
    const customer = await service.customer();
    const body = { user_id: customer.id, url: receiver.url, ...basic };
    const registration = operator.POST('/operator/v1/webhook-endpoints', { body });
    const { endpoint, signing_secret: before } = await bodyOf(registration);
    const { packages } = await placeOrder(customer);
    await receiver.until(1);
    const rotation = operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', at(endpoint.id));
    const { signing_secret: after } = await bodyOf(rotation);
    await resultsOf(service.operator, movement(packages[0]?.loggi_key ?? ''));
    const received = await receiver.until(2);
    return { secrets: [before, after], publicKey: endpoint.public_key, updates: received.map(asSent) };
  }

  const asSent = ({ headers, body }: Received) => ({ headers, body: body.toString('base64') });

  test('passes its own tests', async () => {
    const described = join(folder, 'world.json');
    await writeFile(described, JSON.stringify(world));
    const { PATH, REQUIRE_PYTHON = '' } = process.env;
    const env = {
      PATH,
      REQUIRE_PYTHON,
      MALOTE_TEST: described,
      PYTHONPATH: join(folder, 'package'),
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
    };
    const { stderr } = await promisify(execFile)(path, ['test/machine/languages/python'], { env });
    for (const line of stderr.match(/^not tried: .*$/gm) ?? []) process.stderr.write(`note: ${line}\n`);
    expect(stderr).toMatch(/^OK\b|^not tried: the client package/m);
  });
});
