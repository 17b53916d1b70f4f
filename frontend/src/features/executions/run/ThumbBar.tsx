import { Portal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useState } from 'react';
import classes from './thumb-bar.module.css';

/** Whether the actions of a run are in a bar at the lower edge, and not beside what they are about. */
export const useThumbBar = (): boolean => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

/** Element at the end of the open dialog; null = not rendered yet; undefined = no dialog. */
const DialogEnd = createContext<HTMLElement | null | undefined>(undefined);

/** Content of a dialog, whose thumb bars are at the end of the dialog and not behind it. */
export function ThumbBarDialog({ children }: { children: ReactNode }) {
  const [end, setEnd] = useState<HTMLElement | null>(null);
  return (
    <>
      <DialogEnd value={end}>{children}</DialogEnd>
      <div ref={setEnd} className={classes.dialogEnd} />
    </>
  );
}

export function ThumbBar({ children }: { children: ReactNode }) {
  const end = useContext(DialogEnd);
  if (end === null) return null;
  return (
    <Portal target={end}>
      <div
        className={classes.thumbBar}
        data-place={end ? 'dialog' : 'page'}
        role="group"
        aria-label="Actions of the run"
      >
        {children}
      </div>
    </Portal>
  );
}
