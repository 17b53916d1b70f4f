import { Badge } from '@mantine/core';

/** Marks a server that allows legacy SSH algorithms. */
export function LegacyBadge() {
  return (
    <Badge variant="light" color="yellow" tt="none" title="Legacy SSH algorithms are allowed for this server">
      Legacy SSH
    </Badge>
  );
}
