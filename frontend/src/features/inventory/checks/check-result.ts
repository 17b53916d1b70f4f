import { notifications } from '@mantine/notifications';
import { toProblem } from '../../../api/errors';
import type { Server } from '../../../api/types';
import { checkStyle } from '../../../ui/status/statuses';
import { hostKeyState } from '../host-key/host-key-state';

const COLOURS: Record<string, string> = { good: 'green', warn: 'yellow', bad: 'red' };

/** Shows the result of a check. @returns whether the host key needs review */
export function notifyCheckResult(found: Server): boolean {
  if (found.lastCheck) {
    const { state, reason } = found.lastCheck;
    const { tone, label } = checkStyle(state);
    notifications.show({ color: COLOURS[tone] ?? 'gray', title: `${found.name}: ${label}`, message: reason.text });
  }
  return ['waiting', 'changed'].includes(hostKeyState(found));
}

export const notifyFailedCheck = (name: string, error: unknown): void =>
  void notifications.show({ color: 'red', title: `${name} could not be checked`, message: toProblem(error).message });
