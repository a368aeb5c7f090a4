import type * as jest from '@jest/globals';

type Globals = Pick<
  typeof jest,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'test'
>;

/** What a test file gets when it imports `@jest/globals`: the functions of the file that runs now. */
export let { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test }: Partial<Globals> = {};

export function publish(globals: Globals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } = globals);
}
