/** Report of trials: a few lines for each trial, and a table at the end. */
import { dim, green, red } from '../../scripts/lib/terminal.mjs';
import { PHASES } from './phases.mjs';

const KINDS = [
  ['lost', 'lost'],
  ['doubled', 'doubled'],
  ['false_success', 'false successes'],
  ['stuck', 'stuck'],
  ['order', 'order violations'],
  ['other', 'other violations'],
];
const SHOWN = 12;

export class Report {
  #results = [];
  givenUp = 0;
  minutes = 0;

  add(result) {
    this.#results.push(result);
  }

  get trials() {
    return this.#results.length;
  }

  get violations() {
    return this.#results.reduce((sum, { violations }) => sum + violations.length, 0);
  }

  /** For `npm test`: each trial counts as one test. */
  counts() {
    const failed = this.#results.filter(({ violations }) => violations.length > 0).length;
    return { passed: this.trials - failed, failed };
  }

  lines({ seed, database, ms, settledMs, faults, missed, runs, free, starts, statuses, violations }) {
    const summaries = faults.map(({ kind, phase, target, inTime }) => {
      return `${kind} ${target}${phase ? ` at ${phase}${inTime === false ? ' (late)' : ''}` : ''}`;
    });
    const mark = violations.length === 0 ? green('✓') : red('✗');
    const words = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
    return [
      `${mark} ${database} seed ${seed}  ${runs} runs (${free} free), ${starts} commands: ${words.join(', ')}  ${dim(`${(ms / 1000).toFixed(0)} s, settled ${(settledMs / 1000).toFixed(0)} s after healing`)}`,
      dim(`    ${summaries.join('; ')}${missed > 0 ? `; ${missed} without a target` : ''}`),
      ...violations.slice(0, SHOWN).map(({ invariant, kind, text }) => `    ${red(`${invariant} ${kind}`)} ${text}`),
      ...(violations.length > SHOWN
        ? [`    and ${violations.length - SHOWN} more: e2e/artifacts/chaos/${seed}.json`]
        : []),
    ];
  }

  table() {
    const faults = this.#results.flatMap((result) => result.faults);
    const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
    const inTime = (kind) => faults.filter((fault) => fault.kind === kind && fault.inTime !== false);
    const of = (kind) =>
      this.#results.reduce((sum, { violations }) => sum + violations.filter((each) => each.kind === kind).length, 0);
    const sum = (key) => this.#results.reduce((total, result) => total + result[key], 0);
    const coverage = {};
    for (const [what, count] of this.#results.flatMap((result) => Object.entries(result.coverage)))
      coverage[what] = (coverage[what] ?? 0) + count;
    return [
      '',
      'Faults by phase (those that came in time)',
      ...kinds.map((kind) => `  ${kind.padEnd(18)}${byPhase(inTime(kind))}`),
      `  ${'all'.padEnd(18)}${byPhase(kinds.flatMap(inTime))}`,
      '',
      'Situations of the runs',
      ...Object.entries(coverage)
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([what, count]) => `  ${what.padEnd(28)}${String(count).padStart(6)}`),
      '',
      ...this.#pace(),
      `  ${this.trials} trials, ${sum('runs')} runs (${sum('free')} free), ${sum('starts')} commands started, ${faults.length} faults`,
      `  ${KINDS.map(([kind, words]) => `${words} ${of(kind)}`).join(', ')}`,
    ];
  }

  #pace() {
    const on = Object.entries(Object.groupBy(this.#results, ({ database }) => database));
    const summaries = on.map(
      ([database, { length }]) => `${length} ${database} (${(length / this.minutes).toFixed(1)} a minute)`,
    );
    return [`  by database: ${summaries.join(', ')}; given up and started again: ${this.givenUp}`];
  }
}

const byPhase = (faults) =>
  [...PHASES, null]
    .map((phase) => [phase ?? 'any moment', faults.filter((fault) => fault.phase === phase).length])
    .filter(([, count]) => count > 0)
    .map(([phase, count]) => `${phase} ${count}`)
    .join(', ');
