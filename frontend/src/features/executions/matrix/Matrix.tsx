import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useMemo, useRef } from 'react';
import type { ExecutionStep } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { StatusDot } from '../../../ui/status/StatusBadge';
import { statusStyle } from '../../../ui/status/statuses';
import { MatrixCell } from './MatrixCell';
import classes from './matrix.module.css';
import { columnGroups, columnName } from './matrix-groups';
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

const stepTitle = ({ status, reason, command, ...step }: ExecutionStep): string =>
  `${wholeName(step)}: ${statusStyle(status).label}${reason ? `, ${reason.text}` : ''}\n${command}`;

/** Grid of hosts and steps. Renders only visible rows. */
export function Matrix({ rows, steps, selection, loading, onSelect }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: 40,
  });
  const select = (row: number, column: number) => {
    const host = rows[row];
    if (host?.cells[column]) onSelect({ host: host.name, step: steps[column]?.key });
  };
  const gridFocus = useGridFocus(
    { rows: rows.length, columns: steps.length },
    (row) => virtual.scrollToIndex(row),
    ({ row, column }) => select(row, column),
  );
  const groups = useMemo(() => columnGroups(steps), [steps]);
  const heads = groups.length + 1;

  return (
    <div className={classes.frame} ref={frame}>
      <div
        role="grid"
        aria-label="Hosts and steps"
        aria-rowcount={rows.length + heads}
        aria-colcount={steps.length + 1}
        className={classes.grid}
        style={
          {
            '--columns': `clamp(104px, 16vw, 220px) repeat(${steps.length}, minmax(${COLUMN_PX}px, 1fr))`,
            minWidth: 104 + steps.length * COLUMN_PX,
          } as CSSProperties
        }
      >
        <div role="rowgroup" className={classes.heads}>
          {groups.map((row, level) => (
            <div role="row" aria-rowindex={level + 1} key={level} className={`${classes.row} ${classes.groups}`}>
              <div role="columnheader" className={classes.host} />
              {row.map(({ id, label, span }) => (
                <div
                  role="columnheader"
                  key={id}
                  aria-colspan={span}
                  className={label === null ? undefined : classes.group}
                  style={{ gridColumn: `span ${span}` }}
                  title={label ?? undefined}
                >
                  {label !== null && <span className={classes.groupName}>{label}</span>}
                </div>
              ))}
            </div>
          ))}
          <div role="row" aria-rowindex={heads} className={`${classes.row} ${classes.head}`}>
            <div role="columnheader" className={classes.host}>
              <button type="button" className={classes.button} onClick={() => onSelect({})}>
                {plural(rows.length, 'host')}
              </button>
            </div>
            {steps.map((step) => (
              <div role="columnheader" key={step.key}>
                <button
                  type="button"
                  className={`${classes.button} ${selection.step === step.key && !selection.host ? classes.selected : ''}`}
                  title={stepTitle(step)}
                  onClick={() => onSelect({ step: step.key })}
                >
                  <StatusDot status={step.status} size={14} />
                  <span className={classes.name}>{columnName(step)}</span>
                  {step.status === 'PAUSED' && <span className={classes.paused}>paused</span>}
                </button>
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={gridFocus.body}
          className={classes.body}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={gridFocus.onKeyDown}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (!row) return null;
            const isHostSelected = selection.host === row.name || selection.host === row.serverId;
            return (
              <div
                role="row"
                aria-rowindex={index + heads + 1}
                key={row.serverId}
                className={`${classes.row} ${classes.floating}`}
                style={{ transform: `translateY(${start}px)` }}
              >
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
                    isFocusable={gridFocus.at.row === index && gridFocus.at.column === column}
                    column={column + 1}
                    onSelect={() => select(index, column)}
                    onFocus={() => gridFocus.setFocusedCell({ row: index, column })}
                  />
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
