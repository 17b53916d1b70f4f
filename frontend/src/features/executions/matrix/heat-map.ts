const LARGEST_PX = 14;
const SMALLEST_PX = 3;
const GAP_PX = 1;

export interface HeatMapSize {
  /** Edge of a cell with its gap, in px. */
  cell: number;
  columns: number;
  rows: number;
}

/** Returns the largest cells with which all hosts fit; the smallest ones if none do. */
export function heatMapSize(hosts: number, width: number, height: number): HeatMapSize {
  for (let cell = LARGEST_PX; ; cell -= 1) {
    const columns = Math.max(1, Math.floor(width / cell));
    const rows = Math.ceil(hosts / columns);
    if (rows * cell <= height || cell === SMALLEST_PX) return { cell, columns, rows };
  }
}

/** Returns the index of the host at a point in px; null: there is none. */
export function hostAt({ cell, columns }: HeatMapSize, hosts: number, x: number, y: number): number | null {
  const column = Math.floor(x / cell);
  const index = Math.floor(y / cell) * columns + column;
  return column >= 0 && column < columns && y >= 0 && index < hosts ? index : null;
}

const MOVE_BY_KEY: Record<string, (columns: number) => number> = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: (columns) => -columns,
  ArrowDown: (columns) => columns,
};

/** Returns the index of the host that a key leads to; null: the key does not move. */
export function hostAfterKey(key: string, at: number, { columns }: HeatMapSize, hosts: number): number | null {
  if (key === 'Home') return 0;
  if (key === 'End') return hosts - 1;
  const move = MOVE_BY_KEY[key];
  return move ? Math.max(0, Math.min(hosts - 1, at + move(columns))) : null;
}

/** Square of a host within the map, in px. */
export const squareOf = ({ cell, columns }: HeatMapSize, index: number): { x: number; y: number; edge: number } => ({
  x: (index % columns) * cell,
  y: Math.floor(index / columns) * cell,
  edge: cell - GAP_PX,
});
