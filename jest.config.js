/** Tests that start processes, browsers and other languages take minutes. They run only when they are named: `npm test -- test/machine`. */
const MACHINE = 'test/machine';
const isNamed = process.argv.some((argument) => argument.includes(MACHINE));

export default {
  // Node itself loads the tests, once per worker what they share.
  runtime: '<rootDir>/test/support/jest/runtime.ts',
  testEnvironment: '<rootDir>/test/support/jest/environment.ts',
  injectGlobals: false,
  transform: {},
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: isNamed ? [] : [`/${MACHINE}/`],
  reporters: ['default', '<rootDir>/test/support/jest/reporter.ts'],
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  // Only what hangs takes so long: no verdict depends on how fast the machine is, or what else it runs.
  testTimeout: 900_000,
  // One more than the two cores that CI has: tests wait a quarter of their time, for processes, timers and the database.
  maxWorkers: 3,
};
