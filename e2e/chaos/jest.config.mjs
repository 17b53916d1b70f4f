export default { rootDir: '.', testMatch: ['**/*.spec.mjs'], testEnvironment: 'node', transform: {} };
