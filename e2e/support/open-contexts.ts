import type { BrowserContext } from '@playwright/test';

const open = new Set<BrowserContext>();

/** Has a browser context closed with the stage of the stories that are told now: its pages would ask on for ever. */
export function closeWithStage(context: BrowserContext): void {
  open.add(context);
}

export async function closeContexts(): Promise<void> {
  await Promise.allSettled([...open].map((context) => context.close()));
  open.clear();
}
