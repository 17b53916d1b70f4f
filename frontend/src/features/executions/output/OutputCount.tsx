import { Text } from '@mantine/core';
import { plural } from '../../../ui/format/format';
import type { Output } from './useOutput';

interface Props {
  output: Pick<Output, 'lines' | 'dropped' | 'loading' | 'percent' | 'more'>;
  searched: boolean;
}

/** Number of lines, and progress of a search. Screen readers announce only its beginning and end. */
export function OutputCount({ output: { lines, dropped, loading, percent, more }, searched }: Props) {
  const found = plural(dropped + lines.length, searched ? 'hit' : 'line');
  const searching = searched && loading;
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {searching ? 'Searching…' : loading ? `${found}…` : found}
      </Text>
      {(searching || (searched && more)) && (
        <Text size="xs" c="dimmed" data-testid="search-progress">
          {searching ? `${found} so far, ${percent}% searched` : `in the first ${percent}%`}
        </Text>
      )}
    </>
  );
}
