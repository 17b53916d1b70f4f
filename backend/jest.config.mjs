/** Three sizes of test, told apart by their names: *.spec.ts (pure), *.db.spec.ts (a real PostgreSQL), *.api.spec.ts (HTTP through the whole guard chain). */
export default {
  rootDir: '.',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  setupFiles: ['reflect-metadata'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        module: { type: 'es6' },
        jsc: {
          target: 'es2023',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
      },
    ],
  },
  testTimeout: 60_000,
  // Files wait for hosts, processes and the database for half of their time.
  maxWorkers: 3,
  // What a file loads is not given back by its worker: three of them would come to 6 GB.
  workerIdleMemoryLimit: '1GB',
};
