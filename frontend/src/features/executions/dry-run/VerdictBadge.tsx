import type { Verdict } from '../../../api/types';
import { StatusIcon } from '../../../ui/status/StatusBadge';
import classes from '../../../ui/status/status.module.css';
import { verdictStyle, VERDICT_MEANINGS } from './verdict-styles';

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const style = verdictStyle(verdict);
  return (
    <span className={`${classes.badge} ${classes[style.tone]}`} title={VERDICT_MEANINGS[verdict]}>
      <StatusIcon icon={style.icon} />
      {style.label}
    </span>
  );
}
