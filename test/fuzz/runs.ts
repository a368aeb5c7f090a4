import fc from 'fast-check';

/** Size of a run: FUZZ_RUNS and FUZZ_SEED from the environment, else a few and a new seed each time. */
const runs = Number(process.env['FUZZ_RUNS'] || 100);
const seed = Number(process.env['FUZZ_SEED'] || Date.now() % 2 ** 31);

/**
 * Tries a property on as many random values as FUZZ_RUNS says, and says how many with which seed. A breach is shrunk
 * to the least value that still breaks it.
 */
export async function tryAll<T>(
  what: string,
  values: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
): Promise<void> {
  process.stdout.write(`${what}: ${runs} requests, FUZZ_SEED=${seed}\n`);
  await fc.assert(fc.asyncProperty(values, property), {
    seed,
    numRuns: runs,
    endOnFailure: false,
    interruptAfterTimeLimit: 3_600_000,
  });
}

export const timeLimit = 300_000 + runs * 600;
