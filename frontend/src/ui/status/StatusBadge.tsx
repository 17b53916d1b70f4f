import type { Icon } from '@tabler/icons-react';
import type { ServerState } from '../../api/types';
import classes from './status.module.css';
import { type AnyStatus, checkStyle, statusStyle } from './statuses';

interface IconProps {
  icon: Icon;
  spinning?: boolean;
  size?: number;
}

export function StatusIcon({ icon: Glyph, spinning = false, size = 14 }: IconProps) {
  return <Glyph size={size} stroke={2.2} aria-hidden className={spinning ? classes.spinning : undefined} />;
}

interface BadgeProps {
  status: AnyStatus;
  /** Whether the badge has no coloured background, for dense layouts. */
  plain?: boolean;
  label?: string;
  testId?: string;
}

export function StatusBadge({ status, plain = false, label, testId }: BadgeProps) {
  const style = statusStyle(status);
  return (
    <span
      className={`${classes.badge} ${classes[style.tone]} ${plain ? classes.plain : ''}`}
      data-testid={testId}
      data-status={status}
    >
      <StatusIcon icon={style.icon} spinning={status === 'RUNNING'} />
      {label ?? style.label}
    </span>
  );
}

export function CheckBadge({ state }: { state: ServerState }) {
  const style = checkStyle(state);
  return (
    <span className={`${classes.badge} ${classes.wrapping} ${classes[style.tone]}`}>
      <StatusIcon icon={style.icon} />
      {style.label}
    </span>
  );
}

/** Icon without text. The label is its accessible name and its tooltip. */
export function StatusDot({ status, label, size = 16 }: { status: AnyStatus; label?: string; size?: number }) {
  const style = statusStyle(status);
  const name = label ?? style.label;
  return (
    <span className={`${classes.dot} ${classes[style.tone]}`} role="img" aria-label={name} title={name}>
      <StatusIcon icon={style.icon} spinning={status === 'RUNNING'} size={size} />
    </span>
  );
}
