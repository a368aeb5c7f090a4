import { expect, test } from '@jest/globals';
import { renumber } from '../../src/db/lists/change-numbers.js';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { disableEndpoint, enableEndpoint } from '../../src/endpoints/endpoints.js';
import { makeCopied } from '../support/copied.js';
import { waitFor } from '../support/receiver.js';
import { eachScene, move, payloadOf, type Scene } from './support.js';

let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { packages: 3, settings: { catchUpMs: 20 } },
);

/** The status codes that the receiver was told, each with the index of its package. */
const codesTold = () =>
  scene.receiver.received.flatMap(({ body }) =>
    payloadOf({ body }).packages.map(({ loggiKey, status }) => [scene.keys.indexOf(loggiKey), status.code]),
  );

test('an endpoint that is enabled in a copied database is told missed movements once changes are renumbered', async () => {
  const { db, keys, endpoint } = scene;
  const moved = async (code: number, ...places: number[]) =>
    move(
      db,
      places.map((place) => keys[place] ?? ''),
      code,
    );
  scene.worker.start();
  await disableEndpoint(db, endpoint.id);
  await moved(14, 0, 1);
  await makeCopied(db);
  await enableEndpoint(db, endpoint.id);
  await moved(11, 2);
  await waitFor(async () => codesTold().length > 0, 'a movement that is told by itself');
  expect(codesTold()).toEqual([[2, 11]]);
  await renumber(db, () => undefined);
  await waitFor(async () => (await getEndpoint(db, endpoint.id)).catchUpCount === 0, 'the end of the catch-up');
  await waitFor(async () => codesTold().length > 2, 'the debts to be told');
  // The receiver may be told twice of the movement that was recorded meanwhile.
  expect(codesTold().slice(1)).toEqual(
    expect.arrayContaining([
      [0, 14],
      [1, 14],
    ]),
  );
});
