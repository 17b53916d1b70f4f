import { type CSSProperties, useMemo, useRef } from 'react';
import type { ExecutionStep } from '../../../api/types';
import { type RowScroller, VirtualRows } from '../../../ui/tables/VirtualRows';
import { MatrixCell } from './MatrixCell';
import { MatrixHead } from './MatrixHead';
import classes from './matrix.module.css';
import { columnGroups } from './matrix-groups';
import { wholeName } from '../run/step-name';
import type { Row } from './matrix-rows';
import { useGridFocus } from './useGridFocus';

const ROW_PX = 33;
/** Wide enough for the longest cell label. */
const COLUMN_PX = 148;

export interface Selection {
  step?: string;
  host?: string;
}

interface Props {
  rows: Row[];
  steps: ExecutionStep[];
  selection: Selection;
  loading: boolean;
  onSelect: (selection: Selection) => void;
}

/** Grid of hosts and steps. Renders only visible rows. */
export function Matrix({ rows, steps, selection, loading, onSelect }: Props) {
  const scroller = useRef<RowScroller>(null);
  const select = (row: number, column: number) => {
    const host = rows[row];
    if (host?.cells[column]) onSelect({ host: host.name, step: steps[column]?.key });
  };
  const { at, setFocusedCell, ...body } = useGridFocus(
    { rows: rows.length, columns: steps.length },
    (row) => scroller.current?.scrollToRow(row),
    ({ row, column }) => select(row, column),
  );
  const groups = useMemo(() => columnGroups(steps), [steps]);
  const headRows = groups.length + 1;
  const columns = `clamp(104px, 16vw, 220px) repeat(${steps.length}, minmax(${COLUMN_PX}px, 1fr))`;

  return (
    <VirtualRows
      rows={rows}
      rowKey={({ serverId }) => serverId}
      rowPx={ROW_PX}
      rowClass={() => `${classes.row} ${classes.line}`}
      headRows={headRows}
      head={
        <MatrixHead
          hosts={rows.length}
          steps={steps}
          groups={groups}
          selectedStep={selection.host ? undefined : selection.step}
          onSelect={onSelect}
        />
      }
      scroller={scroller}
      frame={{ className: classes.frame, withBorder: false, radius: 0, bg: 'transparent' }}
      table={{
        role: 'grid',
        'aria-label': 'Hosts and steps',
        'aria-rowcount': rows.length + headRows,
        'aria-colcount': steps.length + 1,
        style: { '--columns': columns, minWidth: 104 + steps.length * COLUMN_PX } as CSSProperties,
      }}
      body={body}
      renderRow={(row, index) => {
        const isHostSelected = selection.host === row.name || selection.host === row.serverId;
        return (
          <>
            <div role="rowheader" className={classes.host}>
              <button
                type="button"
                tabIndex={-1}
                className={`${classes.button} ${isHostSelected && !selection.step ? classes.selected : ''}`}
                title={row.address}
                onClick={() => onSelect({ host: row.name })}
              >
                <span className={classes.name}>{row.name}</span>
              </button>
            </div>
            {steps.map((step, column) => (
              <MatrixCell
                key={step.key}
                host={row.name}
                stepKey={step.key}
                stepName={wholeName(step)}
                cell={row.cells[column] ?? null}
                loading={loading}
                selected={isHostSelected && selection.step === step.key}
                isFocusable={at.row === index && at.column === column}
                column={column + 1}
                onSelect={() => select(index, column)}
                onFocus={() => setFocusedCell({ row: index, column })}
              />
            ))}
          </>
        );
      }}
    />
  );
}
