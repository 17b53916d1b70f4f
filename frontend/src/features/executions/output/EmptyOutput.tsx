import { Text } from '@mantine/core';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';

interface Props {
  loading: boolean;
  finished: boolean;
  searched: boolean;
}

export function EmptyOutput({ loading, finished, searched }: Props) {
  if (loading && !searched) return <RowsSkeleton rows={5} height={13} />;
  let text = 'Nothing was written yet. Output appears here as it comes.';
  if (searched) {
    const where = 'The search looks through everything that is chosen above.';
    if (loading) text = 'Nothing found so far. The search goes on.';
    else text = finished ? `No line holds this text. ${where}` : `No line holds this text so far. ${where}`;
  } else if (finished) text = 'Nothing was written here.';
  return (
    <Text c="dimmed" ta="center" py="xl" px="md">
      {text}
    </Text>
  );
}
