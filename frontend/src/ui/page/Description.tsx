import { Spoiler } from '@mantine/core';

/** Three lines. */
const COLLAPSED_HEIGHT_PX = 66;

/** Text of users, which may be long, so only its beginning is shown at first. */
export const Description = ({ children }: { children: string }) => (
  <Spoiler
    maxHeight={COLLAPSED_HEIGHT_PX}
    showLabel="Show full description"
    hideLabel="Show less"
    className="rw-pre-line"
    fz="sm"
    dir="auto"
  >
    {children}
  </Spoiler>
);
