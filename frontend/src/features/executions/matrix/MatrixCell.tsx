import { memo } from 'react';
import { StatusIcon } from '../../../ui/status/StatusBadge';
import statusClasses from '../../../ui/status/status.module.css';
import type { Cell } from '../run/run-cells.reducer';
import { describeCell, cellStyle } from './cell-style';
import classes from './matrix.module.css';

interface Props {
  host: string;
  stepKey: string;
  stepName: string;
  cell: Cell | null;
  /** Whether the step reports changes. Otherwise each success counts as a change, and the mark would say nothing. */
  reportsChange: boolean;
  loading: boolean;
  selected: boolean;
  isFocusable: boolean;
  column: number;
  onSelect: () => void;
  onFocus: () => void;
}

export const MatrixCell = memo(function MatrixCell(props: Props) {
  const { host, stepKey, stepName, cell, reportsChange, loading, selected, isFocusable, column, onSelect, onFocus } =
    props;
  const style = cell ? cellStyle(cell) : null;
  const description = cell ? describeCell(cell, reportsChange) : loading ? 'Loading' : 'Not in this step';
  const tone = style ? `${statusClasses[style.tone]} ${classes.cell}` : classes.none;
  return (
    <div
      role="gridcell"
      aria-colindex={column + 1}
      aria-selected={selected}
      aria-label={`${host}, ${stepName}: ${description}`}
      title={`${host} · ${stepName}: ${description}`}
      tabIndex={isFocusable ? 0 : -1}
      className={`${classes.button} ${tone} ${selected ? classes.selected : ''}`}
      data-testid={`cell-${host}-${stepKey}`}
      data-status={cell?.status ?? 'NONE'}
      data-verdict={cell?.verdict ?? undefined}
      onClick={style ? onSelect : undefined}
      onFocus={onFocus}
    >
      {style ? <StatusIcon icon={style.icon} spinning={cell?.status === 'RUNNING'} size={15} /> : '·'}
      {style && <span className={classes.label}>{style.label}</span>}
      {cell && cell.attempts > 1 && <span className={classes.attempts}>×{cell.attempts}</span>}
      {reportsChange && cell?.changed === true && <span className={classes.changed} />}
    </div>
  );
});
