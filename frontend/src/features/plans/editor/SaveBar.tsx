import { Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** Footer that stays visible below a long form. */
export function SaveBar({ children }: { children: ReactNode }) {
  return (
    <Paper p="sm" mt="lg" shadow="sm" style={{ position: 'sticky', bottom: 12, zIndex: 5 }}>
      <Stack gap="xs">{children}</Stack>
    </Paper>
  );
}
