import type { BrowserContext } from '@playwright/test';

/** Maximum delay of API responses, in ms. Set the variable to find race conditions in tests. */
const SLOWDOWN_MS = Number(process.env.E2E_SLOW_MS ?? 0);

/** Delays each API request by a random time, so that responses arrive late and in a different order. */
export async function slowDownRequests(context: BrowserContext): Promise<void> {
  if (!(SLOWDOWN_MS > 0)) return;
  await context.route('**/api/**', async (route) => {
    await new Promise((done) => setTimeout(done, Math.random() * SLOWDOWN_MS));
    // Fails if the page was closed in the meantime.
    await route.continue().catch(() => undefined);
  });
}
