import { useBlocker } from '@tanstack/react-router';

/** Asks before typed text is lost by leaving the page. A dialog that opens over it (same path) is no leaving. */
export function useLeaveGuard(dirty: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving? What you typed here is lost.'),
    enableBeforeUnload: () => dirty,
  });
}
