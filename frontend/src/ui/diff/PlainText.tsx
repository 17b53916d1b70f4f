import classes from './diff.module.css';
import { VisibleText } from './VisibleText';

/** Unchanged text, with visible marks for invisible characters. */
export function PlainText({ text, label }: { text: string; label: string }) {
  return (
    <div className={`${classes.code} ${classes.plain}`} role="group" aria-label={label} tabIndex={0}>
      <VisibleText text={text} />
    </div>
  );
}
