import { Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './editor.module.css';

/**
 * Footer that stays visible below a long form.
 * @param isIdle whether there is nothing to save; then a phone does not show it
 */
export function SaveBar({ isIdle = false, children }: { isIdle?: boolean; children: ReactNode }) {
  return (
    <Paper p="sm" mt="lg" shadow="sm" className={classes.saveBar} mod={{ idle: isIdle }}>
      <Stack gap="xs">{children}</Stack>
    </Paper>
  );
}
