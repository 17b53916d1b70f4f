/** Tests of the harness itself: plain modules, nothing to start before. */
export default { rootDir: '.', testMatch: ['**/*.spec.mjs'], testEnvironment: 'node', transform: {} };
