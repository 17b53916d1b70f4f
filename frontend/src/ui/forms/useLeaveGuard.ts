import { useBlocker } from '@tanstack/react-router';

/** Asks before unsaved input is lost by leaving the page. Opening a dialog over it keeps the path and does not ask. */
export function useLeaveGuard(isDirty: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving? Your edits will be lost.'),
    enableBeforeUnload: () => isDirty,
  });
}
