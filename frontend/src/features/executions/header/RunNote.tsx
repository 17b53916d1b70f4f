import { Box, Spoiler, Text } from '@mantine/core';
import type { Execution } from '../../../api/types';
import { RelativeTime } from '../../../ui/format/RelativeTime';

/** Two lines. */
const COLLAPSED_HEIGHT_PX = 44;

/** Note of the start request, with its author. It may be long, so only its beginning is shown at first. */
export const RunNote = ({ run }: { run: Pick<Execution, 'note' | 'startedBy' | 'createdAt'> }) => (
  // The spoiler positions its button in its own margin, so the bottom margin is outside.
  <Box mb="md" component="section" aria-label="Note">
    <Text size="xs" c="dimmed" component="div">
      Note by {run.startedBy.name}, <RelativeTime at={run.createdAt} />
    </Text>
    <Spoiler
      maxHeight={COLLAPSED_HEIGHT_PX}
      showLabel="Show full note"
      hideLabel="Show less"
      className="rw-pre-wrap"
      fz="sm"
    >
      {run.note}
    </Spoiler>
  </Box>
);
