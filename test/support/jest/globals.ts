import type * as jest from '@jest/globals';
import { demandNoBreach } from './breaches.js';

type Globals = Pick<
  typeof jest,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'test'
>;

/** The functions of the file that runs now: what a test file imports of `@jest/globals`. */
export let { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test }: Partial<Globals> = {};

export function publish(globals: Globals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } = globals);
  globals.afterEach(demandNoBreach);
}
