/** Three sizes of test, told apart by their names: *.spec.ts (pure), *.db.spec.ts (a real PostgreSQL), *.api.spec.ts (HTTP through the whole guard chain). */
export default {
  rootDir: '.',
  cacheDirectory: '<rootDir>/../.cache/jest',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/../cli/src'],
  testMatch: ['**/*.spec.ts'],
  runner: '<rootDir>/test/runner/shared-modules-runner.mjs',
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  // Against what hangs: a busy machine takes several times as long as a quiet one.
  testTimeout: 180_000,
  // Files wait for hosts, processes and the database for half of their time.
  maxWorkers: 4,
  // What a file loads is not given back by its worker: four of them would come to 8 GB.
  workerIdleMemoryLimit: '1GB',
};
