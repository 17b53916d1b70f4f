import { VisuallyHidden } from '@mantine/core';
import { durationChange } from './duration-change';
import classes from './compare.module.css';

/** Change of a duration, such as `+12 s`. Nothing when it is small or not known. */
export function DurationNote({ before, after }: { before: number | null; after: number | null }) {
  const change = durationChange(before, after);
  if (!change || change.tone === 'same') return null;
  return (
    <span className={`rw-nowrap ${classes[change.tone]}`}>
      {change.text} <VisuallyHidden component="span">{change.tone}</VisuallyHidden>
    </span>
  );
}
