import { Text } from '@mantine/core';
import type { ExecutionStep } from '../../../api/types';
import { wholeName } from '../run/step-name';
import { statusStyle } from '../../../ui/status/statuses';

export function StepNotes({ steps }: { steps: readonly ExecutionStep[] }) {
  const explained = steps.filter(({ reason, status }) => reason !== null && status !== 'PENDING');
  if (explained.length === 0) return null;
  return (
    <ul style={{ margin: 0, padding: '6px 12px 8px 28px', borderTop: '1px solid var(--rw-line)' }}>
      {explained.map(({ key, status, reason, ...step }) => (
        <Text component="li" size="xs" key={key}>
          <b>{wholeName(step)}</b>: {statusStyle(status).label.toLowerCase()}. {reason?.text}
        </Text>
      ))}
    </ul>
  );
}
