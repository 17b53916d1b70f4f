import type { BrowserContext } from '@playwright/test';

const open = new Set<BrowserContext>();

/** Closes a browser context together with the stage of the current tests. Otherwise its pages would keep polling. */
export function closeWithStage(context: BrowserContext): void {
  open.add(context);
}

export async function closeContexts(): Promise<void> {
  await Promise.allSettled([...open].map((context) => context.close()));
  open.clear();
}
