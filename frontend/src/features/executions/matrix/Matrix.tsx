import type { Selection } from '../run/selection';
import { type CSSProperties, type SyntheticEvent, useMemo, useRef } from 'react';
import type { ExecutionStep } from '../../../api/types';
import { type RowScroller, VirtualRows } from '../../../ui/tables/VirtualRows';
import { useWidth } from '../../../ui/page/useWidth';
import { MatrixHead } from './MatrixHead';
import classes from './matrix.module.css';
import { clipGroups, columnGroups } from './matrix-groups';
import { MatrixRow } from './MatrixRow';
import type { Row } from './matrix-rows';
import { useColumns } from './useColumns';
import { useGridFocus } from './useGridFocus';

const ROW_PX = 33;
/** Narrowest column with labels in its cells, and without. */
const COLUMN_PX = { labelled: 112, compact: 24 };
const NAME_PX = { min: 104, max: 220 };
const SCROLLBAR_PX = 16;

/** Width in px that a grid needs to show its steps without horizontal scrolling. */
export const gridPx = (steps: number): number => NAME_PX.min + steps * COLUMN_PX.compact + SCROLLBAR_PX;

interface Props {
  rows: readonly Row[];
  /** Number of hosts while not all are loaded; null = all are. */
  loadingHosts: number | null;
  /** Suffix that all host names of the run share. */
  suffix: string;
  steps: ExecutionStep[];
  selection: Selection;
  loading: boolean;
  showsDurations: boolean;
  onSelect: (selection: Selection) => void;
}

/** Grid of hosts and steps. Renders only visible rows and columns. */
export function Matrix({ rows, loadingHosts, suffix, steps, selection, loading, showsDurations, onSelect }: Props) {
  const scroller = useRef<RowScroller>(null);
  const scrolled = useRef<HTMLDivElement>(null);
  const { ref: sized, width } = useWidth<HTMLDivElement>();
  const compact = width > 0 && width * 0.7 < steps.length * COLUMN_PX.labelled;
  const columnPx = compact ? COLUMN_PX.compact : COLUMN_PX.labelled;
  const leftPx = Math.min(width * 0.3, width - SCROLLBAR_PX - steps.length * columnPx);
  const namePx = Math.round(Math.max(NAME_PX.min, Math.min(NAME_PX.max, leftPx)));
  const minWidth = namePx + steps.length * columnPx;
  const { first, end, scrolls, scrollToColumn } = useColumns(scrolled, {
    ...{ count: steps.length, columnPx, namePx, width },
  });
  const visibleSteps = useMemo(() => steps.slice(first, end), [steps, first, end]);
  const select = (row: number, column: number) => {
    const host = rows[row];
    if (host?.cells[column]) onSelect({ host: host.name, step: steps[column]?.key });
  };
  const { at, setFocusedCell, ...body } = useGridFocus(
    { rows: rows.length, columns: steps.length },
    ({ row, column }) => {
      scroller.current?.scrollToRow(row);
      if (scrolls) scrollToColumn(column);
    },
    ({ row, column }) => select(row, column),
  );
  const groups = useMemo(() => columnGroups(steps), [steps]);
  const visibleGroups = useMemo(() => groups.map((row) => clipGroups(row, first, end)), [groups, first, end]);
  const headRows = groups.length + 1;
  const track = scrolls ? `${columnPx}px` : `minmax(${columnPx}px, 1fr)`;
  const columns = `${namePx}px ${first * columnPx}px repeat(${Math.max(1, end - first)}, ${track})`;

  return (
    <div
      ref={sized}
      className={`${classes.sized} ${compact ? classes.compact : ''}`}
      data-scrolls={scrolls || undefined}
    >
      <VirtualRows
        rows={rows}
        rowKey={({ serverId }) => serverId}
        rowPx={ROW_PX}
        fixedHeight
        rowClass={() => `${classes.row} ${classes.line}`}
        headRows={headRows}
        head={
          <MatrixHead
            hosts={rows.length}
            loadingHosts={loadingHosts}
            suffix={suffix}
            steps={visibleSteps}
            firstColumn={first}
            groups={visibleGroups}
            selectedStep={selection.host ? undefined : selection.step}
            onSelect={onSelect}
          />
        }
        scroller={scroller}
        scrolled={scrolled}
        frame={{ className: classes.frame, withBorder: false, radius: 0 }}
        table={{
          role: 'grid',
          'aria-label': 'Hosts and steps',
          'aria-rowcount': rows.length + headRows,
          'aria-colcount': steps.length + 1,
          style: { '--columns': columns, minWidth } as CSSProperties,
          onClick: (event) => {
            const place = placeOf(event);
            const host = place && rows[place.row];
            if (!host) return;
            if (place.column === null) onSelect({ host: host.name });
            else select(place.row, place.column);
          },
          onFocus: (event) => {
            const place = placeOf(event);
            if (place && place.column !== null) setFocusedCell({ row: place.row, column: place.column });
          },
          onMouseOver: showTooltip,
        }}
        body={body}
        renderRow={(row, index) => {
          const focusedColumn = at.row === index ? at.column : null;
          const isOutside = focusedColumn !== null && (focusedColumn < first || focusedColumn >= end);
          const isSelected = selection.host === row.name || selection.host === row.serverId;
          return (
            <MatrixRow
              row={row}
              suffix={suffix}
              steps={visibleSteps}
              firstColumn={first}
              compact={compact}
              loading={loading}
              showsDuration={showsDurations}
              isSelected={isSelected}
              selectedStep={isSelected ? selection.step : undefined}
              focusedColumn={focusedColumn}
              outside={isOutside ? steps[focusedColumn] : undefined}
              outsidePx={namePx + (focusedColumn ?? 0) * columnPx}
            />
          );
        }}
      />
    </div>
  );
}

/** Row and column of an event; null: it is in neither a cell nor the name of a host. */
function placeOf({ target }: SyntheticEvent): { row: number; column: number | null } | null {
  const row = (target as Element).closest<HTMLElement>('[data-index]')?.dataset.index;
  const place = (target as Element).closest<HTMLElement>('[data-column], button');
  if (row === undefined || !place) return null;
  const { column } = place.dataset;
  return { row: Number(row), column: column === undefined ? null : Number(column) };
}

/** Adds the tooltip of a cell when the pointer reaches it: 20 columns of texts slow down scrolling. */
function showTooltip({ target }: SyntheticEvent): void {
  const cell = (target as Element).closest<HTMLElement>('[data-column]');
  if (cell) cell.title = cell.ariaLabel ?? '';
}
