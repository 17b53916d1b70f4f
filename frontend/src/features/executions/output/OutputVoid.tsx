import { Text } from '@mantine/core';
import { RowsSkeleton } from '../../../ui/Skeletons';

/** What stands where no line of output does. */
export function OutputVoid({
  loading,
  finished,
  searched,
}: {
  loading: boolean;
  finished: boolean;
  searched: boolean;
}) {
  if (loading) return <RowsSkeleton rows={5} height={13} />;
  let text = 'Nothing was written yet. Output appears here as it comes.';
  if (searched) text = 'No line holds this text. The search looks through everything that is chosen above.';
  else if (finished) text = 'Nothing was written here.';
  return (
    <Text c="dimmed" ta="center" py="xl" px="md">
      {text}
    </Text>
  );
}
