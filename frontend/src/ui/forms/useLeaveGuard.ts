import { useBlocker } from '@tanstack/react-router';
import { askToDiscard } from './ask-to-discard';

/**
 * Asks before leaving the page loses unsaved input. Does not ask when a dialog opens over the page, because the path
 * stays the same.
 */
export function useLeaveGuard(isDirty: boolean): void {
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      isDirty && current.pathname !== next.pathname && !(await askToDiscard('Leave without saving?')),
    enableBeforeUnload: () => isDirty,
  });
}
