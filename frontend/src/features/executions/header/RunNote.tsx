import { Box, Spoiler } from '@mantine/core';

/** Two lines. */
const COLLAPSED_HEIGHT_PX = 44;

/** A note may be long, so only its beginning is shown at first. */
export const RunNote = ({ note }: { note: string }) => (
  // The spoiler positions its button in its own margin, so the bottom margin is outside.
  <Box mb="md">
    <Spoiler
      maxHeight={COLLAPSED_HEIGHT_PX}
      showLabel="Show full note"
      hideLabel="Show less"
      className="rw-pre-wrap"
      fz="sm"
    >
      {note}
    </Spoiler>
  </Box>
);
