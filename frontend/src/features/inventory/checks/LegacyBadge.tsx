import { Badge } from '@mantine/core';

/** Marks a server that may be connected to with algorithms of old SSH servers. */
export function LegacyBadge() {
  return (
    <Badge variant="light" color="yellow" tt="none" title="Legacy SSH algorithms are allowed for this server">
      Legacy SSH
    </Badge>
  );
}
