import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialog-bar.module.css';

/** Actions at the end of a dialog. They stay visible while its content scrolls. */
export function DialogBar({ spread = false, children }: { spread?: boolean; children: ReactNode }) {
  return (
    <Group justify={spread ? 'space-between' : 'flex-end'} gap="xs" className={classes.bar}>
      {children}
    </Group>
  );
}
