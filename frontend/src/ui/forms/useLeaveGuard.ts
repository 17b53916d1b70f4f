import { useBlocker } from '@tanstack/react-router';

/**
 * Asks before leaving the page loses unsaved input. Does not ask when a dialog opens over the page, because the path
 * stays the same.
 */
export function useLeaveGuard(isDirty: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving? Your edits will be lost.'),
    enableBeforeUnload: () => isDirty,
  });
}
