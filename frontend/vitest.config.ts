import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts'],
          environment: 'node',
          unstubGlobals: true,
          setupFiles: ['test/unstub-globals.ts'],
          // The modules keep no state that one test could leave to another; a worker for each file costs more than the tests.
          isolate: false,
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'components',
          include: ['src/**/*.test.tsx'],
          environment: 'jsdom',
          environmentOptions: { jsdom: { url: 'http://runward.test/' } },
          setupFiles: ['test/browser-features.ts'],
          // Only bounds of a failure: a busy machine must not fail a test.
          testTimeout: 30_000,
          expect: { poll: { timeout: 10_000 } },
        },
      },
    ],
  },
});
