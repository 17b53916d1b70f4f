import { splitName } from './host-names';
import classes from './host-name.module.css';

/** Name without the shared suffix. When it is cut, its end stays visible, because names usually differ there. */
export function HostName({ name, suffix }: { name: string; suffix: string }) {
  const [head, tail] = splitName(name.slice(0, name.length - suffix.length));
  return (
    <span className={classes.hostName}>
      <span className={classes.head}>{head}</span>
      <span className={classes.tail}>{tail}</span>
    </span>
  );
}
