import { expect, test } from '@jest/globals';
import { orderBody } from '../support/bodies.js';
import { waitFor } from '../support/receiver.js';
import { startService } from '../support/service.js';

test('a service that is stopped still writes and answers every order that it has accepted', async () => {
  const service = await startService({ SHUTDOWN_SECONDS: '120' }, { worker: false });
  const { rest } = await service.customer();
  const written = async () => (await service.db.selectFrom('orders').select('id').execute()).length;
  const work = Array.from({ length: 40 }, () => rest.POST('/api/v1/orders', { body: orderBody() }));
  await waitFor(async () => (await written()) > 0, 'the first order');
  const stopped = service.app.stop();
  // A connection that the service has not accepted before it stops is refused.
  const answers = (await Promise.allSettled(work)).flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  await stopped;
  expect(new Set(answers.map(({ response }) => response.status))).toEqual(new Set([201]));
  expect(answers).toHaveLength(await written());
  await service.stop();
});
