import { IconHandClick } from '@tabler/icons-react';
import classes from './status.module.css';

/** A run waits for something that the one who looks may do. */
export function AwaitsYou() {
  return (
    <span className={`${classes.badge} ${classes.mine}`}>
      <IconHandClick size={14} stroke={2.2} aria-hidden />
      Waits for you
    </span>
  );
}
