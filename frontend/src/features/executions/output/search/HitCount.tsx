import { Text } from '@mantine/core';
import { plural } from '../../../../ui/format/format';
import type { HitCounts } from './hit-counts.reducer';

interface Props {
  counts: Pick<HitCounts, 'cells' | 'hits' | 'loading' | 'percent' | 'more'>;
}

/** Number of hits, and progress of the search. Screen readers announce only its beginning and end. */
export function HitCount({ counts: { cells, hits, loading, percent, more } }: Props) {
  const hosts = new Set(cells.map(({ serverId }) => serverId)).size;
  const found = `${plural(hits, 'hit')}${hosts > 1 ? ` on ${plural(hosts, 'host')}` : ''}`;
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {loading ? 'Searching…' : more ? `More than ${found}` : found}
      </Text>
      {(loading || more) && (
        <Text size="xs" c="dimmed" data-testid="search-progress">
          {loading ? `${found} so far, ${percent}% searched` : `in the first ${percent}%`}
        </Text>
      )}
    </>
  );
}
