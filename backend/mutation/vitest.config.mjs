import { RULE_FILES } from './rule-files.mjs';

const area = process.env.RUNWARD_MUTATION_AREA;
const areas = RULE_FILES.filter(({ name }) => area === undefined || name === area);

/** Runs the specs of the rule files in one process. Stryker's Jest runner would start a process per mutant. */
export default {
  root: new URL('../', import.meta.url).pathname,
  cacheDir: new URL('../../.cache/vitest-mutation', import.meta.url).pathname,
  resolve: { alias: { '@jest/globals': new URL('jest-globals.mjs', import.meta.url).pathname } },
  test: {
    include: areas.flatMap(({ specs }) => specs.map((spec) => `src/${spec}`)),
    exclude: ['**/*.api.spec.ts', '**/*.db.spec.ts'],
    testTimeout: 60_000,
  },
};
