import { defineConfig } from '@playwright/test';

/** For Debian's Chromium. Playwright's own browser build is not downloaded. */
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
  // Tests mostly wait. Each has its own installation and hosts.
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
    // The processor would draw each frame of an animation.
    contextOptions: { reducedMotion: 'reduce' },
    // Tracing every step takes as long as the test itself. Use `--trace on` to record a trace.
    trace: 'off',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: CHROMIUM_ARGS },
  },
});
