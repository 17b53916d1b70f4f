import { Badge } from '@mantine/core';

export function LegacyBadge() {
  return (
    <Badge variant="light" color="yellow" tt="none" title="Legacy SSH algorithms are allowed for this server">
      Legacy SSH
    </Badge>
  );
}
