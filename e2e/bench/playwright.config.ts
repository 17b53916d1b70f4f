import base from '../playwright.config.js';

/** What measures is no test: it is run by name, on a calm machine. */
export default {
  ...base,
  testDir: '.',
  testMatch: '*.bench.ts',
  workers: 1,
  timeout: 580_000,
  outputDir: '../artifacts/bench',
};
