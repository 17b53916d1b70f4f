import { memo } from 'react';
import type { HostStatus } from '../../../api/types';
import { StatusIcon } from '../../../ui/StatusBadge';
import statusClasses from '../../../ui/status.module.css';
import { lookOf } from '../../../ui/statuses';
import classes from './matrix.module.css';

interface Props {
  host: string;
  stepKey: string;
  stepName: string;
  status: HostStatus | null;
  loading: boolean;
  selected: boolean;
  focusable: boolean;
  column: number;
  onSelect: () => void;
  onFocus: () => void;
}

export const MatrixCell = memo(function MatrixCell(props: Props) {
  const { host, stepKey, stepName, status, loading, selected, focusable, column, onSelect, onFocus } = props;
  const look = status ? lookOf(status) : null;
  const word = look?.word ?? (loading ? 'Loading' : 'Not a target of this step');
  const tone = look ? `${statusClasses[look.tone]} ${classes.cell}` : classes.none;
  return (
    <div
      role="gridcell"
      aria-colindex={column + 1}
      aria-selected={selected}
      aria-label={`${host}, ${stepName}: ${word}`}
      title={`${host} · ${stepName}: ${word}`}
      tabIndex={focusable ? 0 : -1}
      className={`${classes.button} ${tone} ${selected ? classes.selected : ''}`}
      data-testid={`cell-${host}-${stepKey}`}
      data-status={status ?? 'NONE'}
      onClick={look ? onSelect : undefined}
      onFocus={onFocus}
    >
      {look ? <StatusIcon look={look} turning={status === 'RUNNING'} size={15} /> : '·'}
      {look && <span className={classes.word}>{look.word}</span>}
    </div>
  );
});
