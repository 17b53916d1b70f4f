import { afterAll, vi } from 'vitest';

// Test files share a worker, and the next file imports its modules before its first test.
afterAll(() => {
  vi.unstubAllGlobals();
});
