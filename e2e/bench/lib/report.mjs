/** What a bench measured, told line by line and kept as JSON for `npm run bench`. */
import { writeFileSync } from 'node:fs';

/** @returns whether a value keeps its goal, `null` where there is none */
export function keepsGoal({ value, goal }) {
  if (!goal) return null;
  return goal.most === undefined ? value >= goal.least : value <= goal.most;
}

export class Report {
  rows = [];

  constructor(name) {
    this.name = name;
  }

  /**
   * @param row `{ work, figure, value, unit, goal }`; `goal` is `{ most }` or `{ least }` in the unit of the value, or none.
   *   Beside a peer the value is a ratio and the unit `×`.
   */
  add(row) {
    this.rows.push({ bench: this.name, ...row, met: keepsGoal(row) });
    console.log(`${row.work}: ${row.figure} ${row.value} ${row.unit}${goalText(row)}`);
  }

  /** @param file where the rows are kept, if anywhere */
  save(file) {
    if (file) writeFileSync(file, `${JSON.stringify(this.rows, null, 2)}\n`);
  }
}

/** As a text behind the value: the goal, and whether it is met. */
export function goalText(row) {
  if (!row.goal) return '';
  const { most, least } = row.goal;
  return ` (goal ${most === undefined ? `≥ ${least}` : `≤ ${most}`}: ${keepsGoal(row) ? 'met' : 'missed'})`;
}
