/**
 * Tests of three kinds, distinguished by file name: *.spec.ts (pure), *.db.spec.ts (with PostgreSQL), *.api.spec.ts
 * (HTTP requests through all guards).
 */
export default {
  rootDir: '.',
  cacheDirectory: '<rootDir>/../.cache/jest',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/../cli/src', '<rootDir>/../tools'],
  testMatch: ['**/*.spec.ts'],
  runner: '<rootDir>/test/runner/shared-modules-runner.mjs',
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  // Only ends tests that hang. A busy machine takes several times as long as an idle one.
  testTimeout: 180_000,
  // Test files spend half of their time waiting for hosts, processes and the database.
  maxWorkers: 4,
  // A worker never releases the modules that it loads. Without a limit, four workers would need 8 GB. A new worker takes
  // 2 s of processor time to load the application again.
  workerIdleMemoryLimit: '1.5GB',
};
