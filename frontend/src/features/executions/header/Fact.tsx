import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A fact under its name. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div">{children}</Text>
    </Box>
  );
}
