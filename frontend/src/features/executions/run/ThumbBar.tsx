import { Portal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './thumb-bar.module.css';

/** Whether the actions of a run are in a bar at the lower edge, and not beside what they are about. */
export const useThumbBar = (): boolean => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

export const ThumbBar = ({ children }: { children: ReactNode }) => (
  <Portal>
    <div className={classes.thumbBar} role="group" aria-label="Actions of the run">
      {children}
    </div>
  </Portal>
);
