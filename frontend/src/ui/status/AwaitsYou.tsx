import { IconHandClick } from '@tabler/icons-react';
import classes from './status.module.css';

export function AwaitsYou() {
  return (
    <span className={`${classes.badge} ${classes.mine}`}>
      <IconHandClick size={14} stroke={2.2} aria-hidden />
      Waiting for you
    </span>
  );
}
