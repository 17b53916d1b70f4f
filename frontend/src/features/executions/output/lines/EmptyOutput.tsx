import { Text } from '@mantine/core';
import { RowsSkeleton } from '../../../../ui/feedback/Skeletons';

interface Props {
  loading: boolean;
  finished: boolean;
  searched: boolean;
}

export function EmptyOutput({ loading, finished, searched }: Props) {
  if (loading && !searched) return <RowsSkeleton rows={5} height={13} />;
  let text = 'No output yet. New lines appear here.';
  if (searched) {
    const where = 'The search covers the hosts, steps and streams selected above.';
    if (loading) text = 'No matches so far. The search continues.';
    else text = finished ? `No matching lines. ${where}` : `No matching lines so far. ${where}`;
  } else if (finished) text = 'No output.';
  return (
    <Text c="dimmed" ta="center" py="xl" px="md">
      {text}
    </Text>
  );
}
