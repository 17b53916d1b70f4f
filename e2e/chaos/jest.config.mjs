/** Tests of the harness itself: plain modules without any setup. */
export default { rootDir: '.', testMatch: ['**/*.spec.mjs'], testEnvironment: 'node', transform: {} };
