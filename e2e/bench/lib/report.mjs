import { writeFileSync } from 'node:fs';

/** @returns whether the value meets its goal; `null`: there is no goal */
export function meetsGoal({ value, goal }) {
  if (!goal) return null;
  return goal.most === undefined ? value >= goal.least : value <= goal.most;
}

export class Report {
  rows = [];

  constructor(name) {
    this.name = name;
  }

  /**
   * @param row `{ work, figure, value, unit, goal }`; `goal` is `{ most }` or `{ least }` in the unit of the value, or
   *   undefined. In a comparison with a peer, the value is a ratio and the unit is `×`.
   */
  add(row) {
    this.rows.push({ bench: this.name, ...row, met: meetsGoal(row) });
    console.log(`${row.work}: ${row.figure} ${row.value} ${row.unit}${goalText(row)}`);
  }

  save(file) {
    if (file) writeFileSync(file, `${JSON.stringify(this.rows, null, 2)}\n`);
  }
}

function goalText(row) {
  return row.goal ? ` (goal ${boundText(row)}: ${meetsGoal(row) ? 'met' : 'missed'})` : '';
}

const boundText = ({ goal: { most, least } }) => (most === undefined ? `≥ ${roundTo2(least)}` : `≤ ${roundTo2(most)}`);
const roundTo2 = (value) => Number(value.toFixed(2));

/** Formats all figures as a markdown table. @param measured JSON content that `npm run bench` saves */
export function toTable({ at, quick, machine, failed, rows }) {
  const head = `${at}, ${machine.processors} processors, load ${machine.load.join(' ')}${quick ? ', quick' : ''}`;
  const lines = rows.map(
    (row) =>
      `| ${row.work} | ${row.figure} | ${row.value} ${row.unit} | ${row.goal ? boundText(row) : ''} | ${row.goal ? (row.met ? 'yes' : 'no') : ''} |`,
  );
  const fault = failed.length > 0 ? `\nNot finished: ${failed.join(', ')}\n` : '';
  return [head, '', '| work | figure | measured | goal | met |', '|---|---|---|---|---|', ...lines, fault].join('\n');
}
