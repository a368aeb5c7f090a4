import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFloors, type Floors } from '../../src/queue/floors.js';

/**
 * A model of a server for floors. Transactions take ids and commit in any order. The answers to a worker come late.
 */
class World {
  server = 1;
  nextTransaction = 1;
  nextId = 1;
  running: { transaction: number; taken: Notification[] }[] = [];
  waiting: Notification[] = [];
  unanswered: (() => void)[] = [];
  /** Reads that missed a waiting notification. */
  blindReads: string[] = [];
  readonly floors: Floors = createFloors();

  oldest = (): number => Math.min(this.nextTransaction, ...this.running.map(({ transaction }) => transaction));

  begin(): void {
    this.running.push({ transaction: this.nextTransaction++, taken: [] });
  }

  take(which: number): void {
    const laneId = this.nextId % LANES;
    this.running[which % this.running.length]?.taken.push({ laneId, id: this.nextId++ });
  }

  end(which: number, commits: boolean): void {
    const [ended] = this.running.splice(which % (this.running.length || 1), 1);
    if (commits) this.waiting.push(...(ended?.taken ?? []));
    this.waiting.sort((one, other) => one.id - other.id);
  }

  read(laneId: number): void {
    const floors = this.floors.now();
    const floor = floors.server === String(this.server) ? floors.of(laneId) : 0;
    const all = this.waiting.filter((each) => each.laneId === laneId);
    const seen = all.filter(({ id }) => id >= floor);
    if (seen.length !== all.length) this.blindReads.push(`from ${floor}, though ${all[0]?.id} waits`);
    const answer = seen.slice(0, 2).map(({ id }) => ({ laneId, id: String(id) }));
    this.unanswered.push(() => floors.read([laneId], answer));
  }

  deliver(laneId: number): void {
    const first = this.waiting.findIndex((each) => each.laneId === laneId);
    if (first >= 0) this.waiting.splice(first, 1);
  }

  freeze(): void {
    const floors = this.floors.now();
    const server = String(this.server);
    const oldest = this.oldest();
    const transaction = this.nextTransaction++;
    this.unanswered.push(() => floors.froze({ server, transaction, oldest }));
  }

  answer(which: number): void {
    this.unanswered.splice(which % (this.unanswered.length || 1), 1)[0]?.();
  }

  answerAll(): void {
    while (this.unanswered.length > 0) this.answer(0);
  }

  /** Fails over to a server that lacks the last ids. */
  failOver(lost: number): void {
    this.server += 1;
    this.running = [];
    this.nextId = Math.max(1, this.nextId - lost);
    this.waiting = this.waiting.filter(({ id }) => id < this.nextId);
  }
}

interface Notification {
  laneId: number;
  id: number;
}

const LANES = 2;

const steps = {
  begin: (world: World) => world.begin(),
  take: (world: World, which: number) => world.take(which),
  commit: (world: World, which: number) => world.end(which, true),
  abort: (world: World, which: number) => world.end(which, false),
  read: (world: World, which: number) => world.read(which % LANES),
  deliver: (world: World, which: number) => world.deliver(which % LANES),
  freeze: (world: World) => world.freeze(),
  answer: (world: World, which: number) => world.answer(which),
  'answer all': (world: World) => world.answerAll(),
  'fail over': (world: World, which: number) => world.failOver(which),
};

// These steps are rare. Often, they would prevent the states that take many steps.
const weights: Partial<Record<string, number>> = { abort: 2, 'fail over': 2, 'answer all': 8 };
const names = Object.keys(steps).map((name) => ({ arbitrary: fc.constant(name), weight: weights[name] ?? 10 }));
const course = fc.array(fc.tuple(fc.oneof(...names), fc.nat({ max: 11 })), { minLength: 200, maxLength: 400 });

test('a read from the floor sees the same as a read from the beginning, with any late commits and failovers', () => {
  fc.assert(
    fc.property(course, (taken) => {
      const world = new World();
      for (const [name, which] of taken) steps[name as keyof typeof steps](world, which);
      expect(world.blindReads).toEqual([]);
    }),
    { numRuns: 1_500 },
  );
});

test('the floor rises as rows are delivered', () => {
  const world = new World();
  for (let round = 0; round < 10; round += 1) {
    world.begin();
    world.take(0);
    world.end(0, true);
    world.read(0);
    world.answer(0);
    world.freeze();
    world.answer(0);
    world.deliver(0);
  }
  expect(world.floors.now().server).toBe('1');
  expect(world.floors.now().of(0)).toBeGreaterThan(7);
});

describe('a notification that commits late in the lane of a newer one is not missed', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
    world.freeze();
    world.answerAll();
  });

  /**
   * Two transactions take ids for lane 1. One does not end yet, and the other commits a newer notification. The late
   * transaction is the first or the second that began.
   */
  const overtake = (late = 0) => {
    world.begin();
    world.begin();
    for (const which of [late, 1 - late, 1 - late]) world.take(which);
    world.end(1 - late, true);
  };
  const read = () => {
    world.read(1);
    world.unanswered.pop()?.();
  };
  const freeze = () => {
    world.freeze();
    world.unanswered.pop()?.();
  };

  test('when it commits before the answer to the read', () => {
    overtake();
    read();
    freeze();
    world.read(1);
    world.end(0, true);
    freeze();
    world.answerAll();
    read();
    expect(world.blindReads).toEqual([]);
  });

  test('when its transaction began while deliveries were being frozen', () => {
    world.freeze();
    overtake();
    read();
    world.answerAll();
    freeze();
    read();
    world.end(0, true);
    read();
    expect(world.blindReads).toEqual([]);
  });

  test('when its transaction was the last to begin before deliveries were frozen', () => {
    overtake(1);
    read();
    freeze();
    freeze();
    read();
    world.end(0, true);
    read();
    expect(world.blindReads).toEqual([]);
  });
});

test('a lane that seems empty is read from its beginning next time', () => {
  const floors = createFloors();
  floors.now().read([1], [{ laneId: 1, id: '7' }]);
  expect(floors.now().of(1)).toBe(1);
  floors.now().read([1], []);
  expect(floors.now().of(1)).toBe(0);
});

test('the lanes that were read longest ago are read from their beginning when there are too many lanes', () => {
  const floors = createFloors();
  for (let laneId = 0; laneId <= 20_000; laneId += 1) floors.now().read([laneId], [{ laneId, id: '7' }]);
  expect([0, 1, 20_000].map(floors.now().of)).toEqual([0, 1, 1]);
});
