import type { BrowserContext } from '@playwright/test';

/** Maximum delay of API responses, in ms; set it to find race conditions in tests. */
const SLOWEST_MS = Number(process.env.E2E_SLOW_MS ?? 0);

/** Delays each API request by a random time, so that responses arrive late and in another order. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (!(SLOWEST_MS > 0)) return;
  await context.route('**/api/**', async (route) => {
    await new Promise((done) => setTimeout(done, Math.random() * SLOWEST_MS));
    // A page that was closed in the meantime sends no further requests.
    await route.continue().catch(() => undefined);
  });
}
