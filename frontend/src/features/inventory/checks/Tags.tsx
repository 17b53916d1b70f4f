import type { Server } from '../../../api/types';
import classes from './checks.module.css';

export function Tags({ tags }: { tags: Server['tags'] }) {
  return (
    <div className={classes.tags}>
      {Object.entries(tags).map(([key, value]) => (
        <span key={key} className={classes.tag}>
          {value === '' ? key : `${key}=${value}`}
        </span>
      ))}
    </div>
  );
}
