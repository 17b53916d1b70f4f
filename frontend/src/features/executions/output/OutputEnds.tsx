import { Button, Group, Text } from '@mantine/core';
import { plural } from '../../../ui/format/format';
import type { Output } from './useOutput';

interface Props {
  output: Pick<Output, 'lines' | 'dropped' | 'loading' | 'complete' | 'more' | 'readMore'>;
  searched: boolean;
  /** Number of the line in the URL. */
  marked: number | undefined;
  onBeginning: () => void;
  onEnd: () => void;
}

/** Shown before the lines if earlier ones were dropped or the linked line is missing. */
export function OutputBeginning({ output: { lines, dropped, loading, complete }, marked, onBeginning }: Props) {
  const there = marked === undefined || lines.some(({ number }) => number === marked);
  return (
    <>
      {!there && (
        <Text size="sm" c="dimmed" px="md" py={6} role="status">
          {loading && !complete ? `Loading up to line ${marked}…` : `Line ${marked} is not in the loaded lines.`}
        </Text>
      )}
      {dropped > 0 && (
        <Group gap="xs" px="md" py={6}>
          <Text size="sm" c="dimmed">
            {plural(dropped, 'earlier line')} {dropped === 1 ? 'is' : 'are'} not loaded on this page. Search and
            download cover all lines.
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={onBeginning}>
            Load from the beginning
          </Button>
        </Group>
      )}
    </>
  );
}

export function OutputEnd({ output: { more, readMore }, searched, onEnd }: Props) {
  if (!more) return null;
  return (
    <Group justify="center" p="xs">
      <Button variant="default" onClick={readMore}>
        {searched ? 'Load more matches' : 'Load more lines'}
      </Button>
      {!searched && (
        <Button variant="subtle" onClick={onEnd}>
          Go to newest lines
        </Button>
      )}
    </Group>
  );
}
