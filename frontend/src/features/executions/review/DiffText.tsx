import type { DiffLine } from './diff-lines';
import classes from './review.module.css';
import { VisibleText } from './VisibleText';

const SIGNS = { same: ' ', added: '+', removed: '−' };
const WORDS = { same: '', added: 'added', removed: 'removed' };

/** Lines of a diff, each with a sign and a colour. */
export function DiffText({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  return (
    <div className={classes.code} role="group" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} className={`${classes.line} ${classes[kind]}`}>
          <span className={classes.sign} role="img" aria-label={WORDS[kind]} aria-hidden={kind === 'same'}>
            {SIGNS[kind]}
          </span>
          <span className={classes.text}>
            <VisibleText text={text} />
          </span>
        </div>
      ))}
    </div>
  );
}
