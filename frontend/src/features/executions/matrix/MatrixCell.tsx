import { memo } from 'react';
import { StatusIcon } from '../../../ui/status/StatusBadge';
import statusClasses from '../../../ui/status/status.module.css';
import type { Cell } from '../run/run-cells.reducer';
import { cellInWords, lookOfCell } from './cell-look';
import classes from './matrix.module.css';

interface Props {
  host: string;
  stepKey: string;
  stepName: string;
  cell: Cell | null;
  loading: boolean;
  selected: boolean;
  focusable: boolean;
  column: number;
  onSelect: () => void;
  onFocus: () => void;
}

export const MatrixCell = memo(function MatrixCell(props: Props) {
  const { host, stepKey, stepName, cell, loading, selected, focusable, column, onSelect, onFocus } = props;
  const look = cell ? lookOfCell(cell) : null;
  const words = cell ? cellInWords(cell) : loading ? 'Loading' : 'Takes no part in this step';
  const tone = look ? `${statusClasses[look.tone]} ${classes.cell}` : classes.none;
  return (
    <div
      role="gridcell"
      aria-colindex={column + 1}
      aria-selected={selected}
      aria-label={`${host}, ${stepName}: ${words}`}
      title={`${host} · ${stepName}: ${words}`}
      tabIndex={focusable ? 0 : -1}
      className={`${classes.button} ${tone} ${selected ? classes.selected : ''}`}
      data-testid={`cell-${host}-${stepKey}`}
      data-status={cell?.status ?? 'NONE'}
      data-verdict={cell?.verdict ?? undefined}
      onClick={look ? onSelect : undefined}
      onFocus={onFocus}
    >
      {look ? <StatusIcon look={look} turning={cell?.status === 'RUNNING'} size={15} /> : '·'}
      {look && <span className={classes.word}>{look.word}</span>}
      {cell && cell.attempts > 1 && <span className={classes.attempts}>×{cell.attempts}</span>}
      {cell?.changed === true && <span className={classes.changed} />}
    </div>
  );
});
