import { IconHandClick } from '@tabler/icons-react';
import classes from './status.module.css';

/** Marks a run that waits for an action that the signed-in member may take. */
export function AwaitsYou() {
  return (
    <span className={`${classes.badge} ${classes.mine}`}>
      <IconHandClick size={14} stroke={2.2} aria-hidden />
      Waits for you
    </span>
  );
}
