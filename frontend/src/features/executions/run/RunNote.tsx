import { Spoiler } from '@mantine/core';

/** Two lines; who wants the rest asks for it. */
const SHOWN_PX = 44;

/** What whoever started the run wrote; it may be long, and what became of the run stands before it. */
export const RunNote = ({ note }: { note: string }) => (
  <Spoiler
    maxHeight={SHOWN_PX}
    showLabel="Show the whole note"
    hideLabel="Show less"
    mb="md"
    style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 'var(--mantine-font-size-sm)' }}
  >
    {note}
  </Spoiler>
);
