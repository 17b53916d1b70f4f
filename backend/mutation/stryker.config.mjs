import { RULE_FILES } from './rule-files.mjs';

const area = process.env.RUNWARD_MUTATION_AREA;
const areas = RULE_FILES.filter(({ name }) => area === undefined || name === area);

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: areas.flatMap(({ files }) => files.map((file) => `backend/src/${file}`)).concat('!**/*.spec.ts'),
  // Copies only files that the specs load.
  ignorePatterns: [
    '**',
    '!package.json',
    '!backend',
    '!backend/src/**',
    '!backend/test/**',
    '!backend/mutation/**',
    '!backend/package.json',
  ],
  tempDirName: '.cache/stryker',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'backend/mutation/vitest.config.mjs', dir: 'backend', related: false },
  concurrency: Number(process.env.RUNWARD_MUTATION_CONCURRENCY ?? 1),
  timeoutMS: 10_000,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.cache/mutation/${area ?? 'all'}.json` },
  allowConsoleColors: false,
  allowEmpty: false,
  disableTypeChecks: false,
};
