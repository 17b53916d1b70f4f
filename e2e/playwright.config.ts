import { defineConfig } from '@playwright/test';

/** Debian's Chromium; a browser build of Playwright's own is not downloaded. */
const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export default defineConfig({
  testDir: 'journeys',
  testMatch: '*.e2e.ts',
  globalSetup: '../backend/test/global-setup.mjs',
  globalTeardown: '../backend/test/global-teardown.mjs',
  outputDir: 'artifacts/results',
  // A story waits for most of its time; each has an installation and hosts of its own.
  workers: 3,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    actionTimeout: 15_000,
    // A moving sign is drawn by the processor here, as often as a screen would show it.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace of every step costs as much as the story itself; `--trace on` records one to look at.
    trace: 'off',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: CHROMIUM_ARGS },
  },
});
