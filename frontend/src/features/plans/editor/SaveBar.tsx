import { Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './editor.module.css';

/** Footer that stays visible below a long form. */
export function SaveBar({ children }: { children: ReactNode }) {
  return (
    <Paper p="sm" mt="lg" shadow="sm" className={classes.saveBar}>
      <Stack gap="xs">{children}</Stack>
    </Paper>
  );
}
