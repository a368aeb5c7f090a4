import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { createBlame } from '../../src/webhook/troubles.js';
import { waitFor } from '../support/receiver.js';
import { attemptsOf, drained, eachScene, move, pending, type Scene } from './support.js';

describe('a worker', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  let scene: Scene;
  eachScene(
    (opened) => {
      scene = opened;
    },
    { endpoints: 2, log },
  );
  beforeEach(() => void lines.splice(0));

  const lanes = () => scene.db.selectFrom('webhook_lanes').selectAll().where('number', '>=', 0).execute();

  test('that can make no delivery reports a trouble of its own, delays no lane, and goes on when it can', async () => {
    await sql`alter table webhook_deliveries add constraint none check (false)`.execute(scene.db);
    const worker = scene.start();
    await move(scene.db, scene.keys);
    await waitFor(() => worker.troubles().length > 0, 'a trouble');
    expect(worker.troubles()).toEqual(['no delivery can be made']);
    await waitFor(async () => (await lanes()).every(({ state }) => state === 'ready'), 'the lanes to be given back');
    // The lanes are due again within seconds, and not after half a minute.
    for (const { due_at } of await lanes()) expect(due_at.getTime() - Date.now()).toBeLessThan(8_000);
    expect([await pending(scene.db), await attemptsOf(scene.db)]).toEqual([2, []]);
    expect(lines.filter((line) => line.includes('webhook.next_delivery_failed'))).toEqual([]);
    expect(lines.filter((line) => line.includes('"trouble":"deliveries"'))).toHaveLength(1);
    await sql`alter table webhook_deliveries drop constraint none`.execute(scene.db);
    await drained(scene.db);
    expect(scene.receiver.received).toHaveLength(2);
  });

  test('that must leave its lanes to other workers claims nothing until it may work again', async () => {
    let mayWork = false;
    const before = await lanes();
    await move(scene.db, scene.keys);
    let asked = 0;
    scene.start({
      mayWork: () => {
        asked += 1;
        return mayWork;
      },
    });
    await waitFor(() => asked > 1, 'two looks');
    const claims = (await lanes()).map(({ state, claim_id }) => [state, claim_id]);
    expect(claims).toEqual(before.map(() => ['ready', null]));
    mayWork = true;
    await drained(scene.db);
  });

  test('gives back at once the lanes that it has claimed when it may no longer send', async () => {
    let asked = 0;
    await move(scene.db, scene.keys);
    // The worker may work when it claims, but no longer when it wants to send.
    scene.start({ mayWork: () => asked++ === 0 });
    await waitFor(() => asked > 1, 'a claim');
    // A lane whose lease ran out still has its claim. So these lanes were given back.
    const areFree = async () => (await lanes()).every(({ state, claim_id }) => state === 'ready' && claim_id === null);
    await waitFor(areFree, 'the lanes to be given back');
    expect(scene.receiver.received).toEqual([]);
  });
});

describe('when the deliveries of a batch of lanes cannot be made', () => {
  const PAUSE_MS = 1_000;

  function judge() {
    const blame = createBlame({ failed: () => PAUSE_MS, passed: () => undefined });
    return {
      made: () => blame.made(0),
      isOwn: (...lanes: number[]) => blame.failed(lanes.map((lane) => [lane, new Error('no')])) === PAUSE_MS,
    };
  }

  test('the process is at fault as long as it has made no delivery at all', () => {
    const { isOwn } = judge();
    expect([isOwn(1), isOwn(1)]).toEqual([true, true]);
  });

  test('the lane is at fault, however often it fails, when deliveries of other lanes were made', () => {
    const { made, isOwn } = judge();
    made();
    expect([isOwn(1), isOwn(1)]).toEqual([false, false]);
    made();
    expect(isOwn(2)).toBe(false);
  });

  test('the process is at fault when several lanes fail and no delivery is made in between', () => {
    const { made, isOwn } = judge();
    made();
    expect(isOwn(1, 2)).toBe(true);
    made();
    expect([isOwn(1), isOwn(2), isOwn(1)]).toEqual([false, true, true]);
    made();
    expect(isOwn(1)).toBe(false);
  });

  test('nothing is at fault when no attempt failed', () => {
    const { isOwn } = judge();
    expect(isOwn()).toBe(false);
  });
});
