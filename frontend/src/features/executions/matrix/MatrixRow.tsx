import { memo } from 'react';
import type { ExecutionStep } from '../../../api/types';
import { duration } from '../../../ui/format/format';
import { StatusIcon } from '../../../ui/status/StatusBadge';
import statusClasses from '../../../ui/status/status.module.css';
import { wholeName } from '../run/step-name';
import { cellStyle, describeCell } from './cell-style';
import { HostName } from '../run/HostName';
import classes from './matrix.module.css';
import { Spacer } from './MatrixHead';
import type { Row } from './matrix-rows';

interface Props {
  row: Row;
  /** Suffix that all host names of the run share. */
  suffix: string;
  /** Visible steps. */
  steps: readonly ExecutionStep[];
  /** Number of steps before the visible ones. */
  firstColumn: number;
  /** Whether cells have no labels. */
  compact: boolean;
  loading: boolean;
  showsDuration: boolean;
  isSelected: boolean;
  /** Key of the selected step; undefined = none, or another host is selected. */
  selectedStep: string | undefined;
  /** Index of the step whose cell has the focus of the grid; null = it is in another row. */
  focusedColumn: number | null;
  /** Step of the focused cell, if its column is not visible. It is rendered too, so that it keeps the focus. */
  outside: ExecutionStep | undefined;
  /** Position of that cell. */
  outsidePx: number;
}

/**
 * Cells of one host. Memoised, so that scrolling renders only new rows. The grid handles the events of all rows; it
 * finds a cell by `data-column`.
 */
export const MatrixRow = memo(function MatrixRow(props: Props) {
  const { row, suffix, steps, firstColumn, showsDuration, isSelected, selectedStep } = props;
  const { focusedColumn, outside, outsidePx } = props;
  return (
    <>
      <div role="rowheader" className={classes.host}>
        <button
          type="button"
          tabIndex={-1}
          className={`${classes.button} ${isSelected && selectedStep === undefined ? classes.selected : ''}`}
          title={`${row.name}, ${row.address}`}
        >
          <HostName name={row.name} suffix={suffix} />
          {showsDuration && row.durationMs !== null && (
            <span className={classes.duration}>{duration(row.durationMs)}</span>
          )}
        </button>
      </div>
      <Spacer />
      {steps.map((step, index) => (
        <StepCell key={step.key} {...props} step={step} column={firstColumn + index} />
      ))}
      {outside && focusedColumn !== null && (
        <StepCell {...props} step={outside} column={focusedColumn} leftPx={outsidePx} />
      )}
    </>
  );
});

interface CellProps extends Pick<Props, 'row' | 'compact' | 'loading' | 'selectedStep' | 'focusedColumn'> {
  step: ExecutionStep;
  column: number;
  /** Position of a cell whose column is not visible. */
  leftPx?: number;
}

function StepCell({ row, step, column, compact, loading, selectedStep, focusedColumn, leftPx }: CellProps) {
  const cell = row.cells[column] ?? null;
  const style = cell && cellStyle(cell);
  const description = cell ? describeCell(cell, step.reportsChange) : loading ? 'Loading' : 'Not in this step';
  const tone = style ? `${statusClasses[style.tone]} ${classes.cell}` : classes.none;
  const selected = selectedStep === step.key;
  return (
    <div
      role="gridcell"
      aria-colindex={column + 2}
      aria-selected={selected || undefined}
      aria-label={`${row.name}, ${wholeName(step)}: ${description}`}
      tabIndex={focusedColumn === column ? 0 : -1}
      className={`${classes.button} ${tone} ${selected ? classes.selected : ''}`}
      data-outside={leftPx !== undefined || undefined}
      style={{ insetInlineStart: leftPx }}
      data-column={column}
      data-testid={`cell-${row.name}-${step.key}`}
      data-status={cell?.status ?? 'NONE'}
      data-verdict={cell?.verdict ?? undefined}
    >
      {style ? <StatusIcon icon={style.icon} spinning={cell?.status === 'RUNNING'} size={15} /> : '·'}
      {style && !compact && <span className={classes.label}>{style.label}</span>}
      {cell && !compact && cell.attempts > 1 && <span className={classes.attempts}>×{cell.attempts}</span>}
      {step.reportsChange && cell?.changed === true && <span className={classes.changed} />}
    </div>
  );
}
