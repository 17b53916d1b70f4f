import type { BrowserContext } from '@playwright/test';

/** The longest that an answer of the API is held back, in milliseconds; set it to look for stories that race. */
const SLOWEST_MS = Number(process.env.E2E_SLOW_MS ?? 0);

/** Holds each request to the API back for a time of its own, so that answers come late and in another order. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (!(SLOWEST_MS > 0)) return;
  await context.route('**/api/**', async (route) => {
    await new Promise((done) => setTimeout(done, Math.random() * SLOWEST_MS));
    // A page that was closed in the meantime asks for nothing any more.
    await route.continue().catch(() => undefined);
  });
}
