import { defineConfig } from 'vitest/config';

/** Unit tests of pure modules. What needs a page is tested in a real browser (`e2e/journeys`). */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
    unstubGlobals: true,
    // The modules keep no state that one test could leave to another; a worker for each file costs more than the tests.
    isolate: false,
  },
});
