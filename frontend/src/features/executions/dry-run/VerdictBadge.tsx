import type { Verdict } from '../../../api/types';
import { StatusIcon } from '../../../ui/status/StatusBadge';
import classes from '../../../ui/status/status.module.css';
import { lookOfVerdict, VERDICT_MEANINGS } from './verdict-words';

/** What a dry run predicts, as colour, icon and word. */
export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const look = lookOfVerdict(verdict);
  return (
    <span className={`${classes.badge} ${classes[look.tone]}`} title={VERDICT_MEANINGS[verdict]}>
      <StatusIcon look={look} />
      {look.word}
    </span>
  );
}
