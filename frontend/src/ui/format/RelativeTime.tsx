import { Text, Tooltip } from '@mantine/core';
import { duration, exactTime, relativeTime } from './format';
import { useNow } from './useNow';

/** Relative time, with the exact time on hover. */
export function RelativeTime({ at, never = '–' }: { at: string | null; never?: string }) {
  const now = useNow();
  if (at === null)
    return (
      <Text span c="dimmed" inherit>
        {never}
      </Text>
    );
  return (
    <Tooltip label={exactTime(at)}>
      <time dateTime={at} className="rw-nowrap">
        {relativeTime(at, now)}
      </time>
    </Tooltip>
  );
}

/** Duration of something that has ended or is still running. */
export function Elapsed({ from, to }: { from: string | null; to: string | null }) {
  const now = useNow();
  if (from === null) return <>–</>;
  return <>{duration((to === null ? now : Date.parse(to)) - Date.parse(from))}</>;
}
