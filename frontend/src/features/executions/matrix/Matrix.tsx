import { useElementSize } from '@mantine/hooks';
import { type CSSProperties, useMemo, useRef } from 'react';
import type { ExecutionStep } from '../../../api/types';
import { type RowScroller, VirtualRows } from '../../../ui/tables/VirtualRows';
import { duration } from '../../../ui/format/format';
import { splitName } from './host-names';
import { MatrixCell } from './MatrixCell';
import { MatrixHead } from './MatrixHead';
import classes from './matrix.module.css';
import { columnGroups } from './matrix-groups';
import { wholeName } from '../run/step-name';
import type { Row } from './matrix-rows';
import { useGridFocus } from './useGridFocus';

const ROW_PX = 33;
/** Narrowest column with labels in its cells, and without. */
const COLUMN_PX = { labelled: 112, compact: 26 };
const NAME_PX = { min: 104, max: 220 };

export interface Selection {
  step?: string;
  host?: string;
}

interface Props {
  rows: Row[];
  /** Suffix that all host names of the run share. */
  suffix: string;
  steps: ExecutionStep[];
  selection: Selection;
  loading: boolean;
  showsDurations: boolean;
  onSelect: (selection: Selection) => void;
}

/** Grid of hosts and steps. Renders only visible rows. */
export function Matrix({ rows, suffix, steps, selection, loading, showsDurations, onSelect }: Props) {
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
  const { ref: sized, width } = useElementSize<HTMLDivElement>();
  const namePx = Math.round(Math.max(NAME_PX.min, Math.min(NAME_PX.max, width * 0.3)));
  const compact = width > 0 && width - namePx < steps.length * COLUMN_PX.labelled;
  const columnPx = compact ? COLUMN_PX.compact : COLUMN_PX.labelled;
  const columns = `${namePx}px repeat(${steps.length}, minmax(${columnPx}px, 1fr))`;

  return (
    <div ref={sized} className={`${classes.sized} ${compact ? classes.compact : ''}`}>
      <VirtualRows
        rows={rows}
        rowKey={({ serverId }) => serverId}
        rowPx={ROW_PX}
        rowClass={() => `${classes.row} ${classes.line}`}
        headRows={headRows}
        head={
          <MatrixHead
            hosts={rows.length}
            suffix={suffix}
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
          style: { '--columns': columns, minWidth: namePx + steps.length * columnPx } as CSSProperties,
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
                  title={`${row.name}, ${row.address}`}
                  onClick={() => onSelect({ host: row.name })}
                >
                  <HostName name={row.name} suffix={suffix} />
                  {showsDurations && row.durationMs !== null && (
                    <span className={classes.duration}>{duration(row.durationMs)}</span>
                  )}
                </button>
              </div>
              {steps.map((step, column) => (
                <MatrixCell
                  key={step.key}
                  host={row.name}
                  stepKey={step.key}
                  stepName={wholeName(step)}
                  cell={row.cells[column] ?? null}
                  reportsChange={step.reportsChange}
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
    </div>
  );
}

/** Name without the shared suffix. When it is cut, its end stays visible, because names usually differ there. */
function HostName({ name, suffix }: { name: string; suffix: string }) {
  const [head, tail] = splitName(name.slice(0, name.length - suffix.length));
  return (
    <span className={classes.hostName}>
      <span className={classes.name}>{head}</span>
      <span>{tail}</span>
    </span>
  );
}
