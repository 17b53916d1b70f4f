import type { DiffLine } from './diff-lines';
import classes from './diff.module.css';
import { VisibleText } from './VisibleText';

const CHANGE_SIGNS = { same: ' ', added: '+', removed: '−' };
const WORDS = { same: '', added: 'added', removed: 'removed' };

interface Props {
  lines: readonly DiffLine[];
  label: string;
  /** Uses the full height, for pages whose main content is the diff. */
  isTall?: boolean;
}

export function DiffText({ lines, label, isTall }: Props) {
  return (
    <div className={`${classes.code} ${isTall ? classes.tall : ''}`} role="group" aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        <div key={index} className={`${classes.line} ${classes[kind]}`}>
          <span className={classes.sign} role="img" aria-label={WORDS[kind]} aria-hidden={kind === 'same'}>
            {CHANGE_SIGNS[kind]}
          </span>
          <span className={classes.text}>
            <VisibleText text={text} />
          </span>
        </div>
      ))}
    </div>
  );
}
