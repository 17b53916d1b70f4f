import base from '../playwright.config.js';

export default {
  ...base,
  testDir: '.',
  testMatch: '*.bench.ts',
  workers: 1,
  timeout: 580_000,
  outputDir: '../artifacts/bench',
};
