/** What is told of trials: a few lines each, and a table at the end. */
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

  add(result) {
    this.#results.push(result);
  }

  get trials() {
    return this.#results.length;
  }

  get violations() {
    return this.#results.reduce((sum, { violations }) => sum + violations.length, 0);
  }

  /** For `npm test`: a trial is a test. */
  counts() {
    const failed = this.#results.filter(({ violations }) => violations.length > 0).length;
    return { passed: this.trials - failed, failed };
  }

  lines({ seed, ms, settledMs, faults, missed, runs, starts, statuses, violations }) {
    const told = faults.map(({ kind, phase, target, inTime }) => {
      return `${kind} ${target}${phase ? ` at ${phase}${inTime === false ? ' (late)' : ''}` : ''}`;
    });
    const mark = violations.length === 0 ? green('✓') : red('✗');
    const words = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
    return [
      `${mark} seed ${seed}  ${runs} runs, ${starts} commands: ${words.join(', ')}  ${dim(`${(ms / 1000).toFixed(0)} s, settled ${(settledMs / 1000).toFixed(0)} s after healing`)}`,
      dim(`    ${told.join('; ')}${missed > 0 ? `; ${missed} found nothing to strike` : ''}`),
      ...violations.slice(0, SHOWN).map(({ invariant, kind, text }) => `    ${red(`${invariant} ${kind}`)} ${text}`),
      ...(violations.length > SHOWN
        ? [`    and ${violations.length - SHOWN} more: e2e/artifacts/chaos/${seed}.json`]
        : []),
    ];
  }

  table() {
    const faults = this.#results.flatMap((result) => result.faults);
    const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
    const columns = [...PHASES, 'any moment'];
    const count = (kind, phase) =>
      faults.filter((fault) => fault.kind === kind && (fault.phase ?? 'any moment') === phase && fault.inTime !== false)
        .length;
    const row = (name, cells) => `  ${name.padEnd(18)}${cells.map((cell) => String(cell).padStart(14)).join('')}`;
    const of = (kind) =>
      this.#results.reduce((sum, { violations }) => sum + violations.filter((each) => each.kind === kind).length, 0);
    const sum = (key) => this.#results.reduce((total, result) => total + result[key], 0);
    return [
      '',
      'Faults by phase (those that came in time)',
      row('', columns),
      ...kinds.map((kind) =>
        row(
          kind,
          columns.map((phase) => count(kind, phase) || '.'),
        ),
      ),
      '',
      `  ${this.trials} trials, ${sum('runs')} runs, ${sum('starts')} commands started, ${faults.length} faults`,
      `  ${KINDS.map(([kind, words]) => `${words} ${of(kind)}`).join(', ')}`,
    ];
  }
}
