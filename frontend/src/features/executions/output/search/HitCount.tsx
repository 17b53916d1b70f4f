import { Text } from '@mantine/core';
import { plural } from '../../../../ui/format/format';
import type { Output } from './useOutput';

interface Props {
  output: Pick<Output, 'lines' | 'dropped' | 'loading' | 'percent' | 'more'>;
}

/** Number of hits, and progress of the search. Screen readers announce only its beginning and end. */
export function OutputCount({ output: { lines, dropped, loading, percent, more } }: Props) {
  const found = plural(dropped + lines.length, 'hit');
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {loading ? 'Searching…' : found}
      </Text>
      {(loading || more) && (
        <Text size="xs" c="dimmed" data-testid="search-progress">
          {loading ? `${found} so far, ${percent}% searched` : `in the first ${percent}%`}
        </Text>
      )}
    </>
  );
}
