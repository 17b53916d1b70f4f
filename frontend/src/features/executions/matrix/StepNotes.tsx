import { Text } from '@mantine/core';
import type { ExecutionStep } from '../../../api/types';
import { lookOf } from '../../../ui/status/statuses';

/** Why steps were skipped, cancelled or passed over. */
export function StepNotes({ steps }: { steps: readonly ExecutionStep[] }) {
  const told = steps.filter(({ reason, status }) => reason !== null && status !== 'PENDING');
  if (told.length === 0) return null;
  return (
    <ul style={{ margin: 0, padding: '6px 12px 8px 28px', borderTop: '1px solid var(--rw-line)' }}>
      {told.map(({ key, name, status, reason }) => (
        <Text component="li" size="xs" key={key}>
          <b>{name}</b>: {lookOf(status).word.toLowerCase()}. {reason?.text}
        </Text>
      ))}
    </ul>
  );
}
