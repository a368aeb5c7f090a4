export default {
  // Node itself loads the tests, once per worker what they share.
  runtime: '<rootDir>/test/support/jest/runtime.ts',
  testEnvironment: '<rootDir>/test/support/jest/environment.ts',
  injectGlobals: false,
  transform: {},
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
  testTimeout: 30_000,
  maxWorkers: 2,
};
