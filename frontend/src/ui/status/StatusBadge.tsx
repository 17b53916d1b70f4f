import type { ServerCheckState } from '../../api/types';
import classes from './status.module.css';
import { type AnyStatus, lookOf, lookOfCheck, type StatusLook } from './statuses';

interface LookProps {
  look: StatusLook;
  turning?: boolean;
  size?: number;
}

export function StatusIcon({ look, turning = false, size = 14 }: LookProps) {
  const Glyph = look.icon;
  return <Glyph size={size} stroke={2.2} aria-hidden className={turning ? classes.turning : undefined} />;
}

interface BadgeProps {
  status: AnyStatus;
  /** Without the coloured ground, for dense places. */
  plain?: boolean;
  /** Instead of the status's own word. */
  word?: string;
  testId?: string;
}

/** A status as colour, icon and word. */
export function StatusBadge({ status, plain = false, word, testId }: BadgeProps) {
  const look = lookOf(status);
  return (
    <span
      className={`${classes.badge} ${classes[look.tone]} ${plain ? classes.plain : ''}`}
      data-testid={testId}
      data-status={status}
    >
      <StatusIcon look={look} turning={status === 'RUNNING'} />
      {word ?? look.word}
    </span>
  );
}

export function CheckBadge({ state }: { state: ServerCheckState }) {
  const look = lookOfCheck(state);
  return (
    <span className={`${classes.badge} ${classes[look.tone]}`}>
      <StatusIcon look={look} />
      {look.word}
    </span>
  );
}

/** Only the icon; the word is its name for assistive technology and on hover. */
export function StatusDot({ status, label, size = 16 }: { status: AnyStatus; label?: string; size?: number }) {
  const look = lookOf(status);
  const name = label ?? look.word;
  return (
    <span className={`${classes.dot} ${classes[look.tone]}`} role="img" aria-label={name} title={name}>
      <StatusIcon look={look} turning={status === 'RUNNING'} size={size} />
    </span>
  );
}
