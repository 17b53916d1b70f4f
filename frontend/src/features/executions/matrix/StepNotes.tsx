import { Text } from '@mantine/core';
import type { ExecutionStep } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { wholeName } from '../run/step-name';
import { statusStyle } from '../../../ui/status/statuses';
import classes from './matrix.module.css';

const MAX_NOTES = 20;

export function StepNotes({ steps }: { steps: readonly ExecutionStep[] }) {
  const explained = steps.filter(({ reason, status }) => reason !== null && status !== 'PENDING');
  if (explained.length === 0) return null;
  return (
    <ul className={classes.notes}>
      {explained.slice(0, MAX_NOTES).map(({ key, status, reason, ...step }) => (
        <Text component="li" size="xs" key={key} className="rw-wrap-anywhere">
          <b>{wholeName(step)}</b>: {statusStyle(status).label.toLowerCase()}. {reason?.text}
        </Text>
      ))}
      {explained.length > MAX_NOTES && (
        <Text component="li" size="xs">
          And {plural(explained.length - MAX_NOTES, 'more step')}.
        </Text>
      )}
    </ul>
  );
}
