import base from '../playwright.config.js';

/** Benches are not tests: run them by name, on an idle machine. */
export default {
  ...base,
  testDir: '.',
  testMatch: '*.bench.ts',
  workers: 1,
  timeout: 580_000,
  outputDir: '../artifacts/bench',
};
