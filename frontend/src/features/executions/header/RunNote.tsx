import { Box, Spoiler } from '@mantine/core';

/** Two lines; who wants the rest asks for it. */
const SHOWN_PX = 44;

/** What whoever started the run wrote; it may be long, and what became of the run stands before it. */
export const RunNote = ({ note }: { note: string }) => (
  // The margin is not the spoiler's own, in which its button stands.
  <Box mb="md">
    <Spoiler
      maxHeight={SHOWN_PX}
      showLabel="Show the whole note"
      hideLabel="Show less"
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 'var(--mantine-font-size-sm)' }}
    >
      {note}
    </Spoiler>
  </Box>
);
