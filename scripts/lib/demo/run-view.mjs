/** Shows a run while it runs. Output scrolls, and the matrix of steps and hosts stays below it. */
import { stripVTControlCharacters } from 'node:util';
import { bold, cyan, dim, frame, green, isLive, red, say, seconds, yellow } from '../terminal.mjs';
import { cellOf, take } from './run-state.mjs';

const REDRAW_MS = 100;
const MARKS = { SUCCEEDED: green('✓'), SKIPPED: dim('–'), CANCELLED: yellow('■'), PENDING: dim('·') };

const markOf = (status) => MARKS[status] ?? (status === undefined ? ' ' : red('✗'));
const isRunning = (status) => status === 'RUNNING' || status === 'CONNECTING';
const colourOf = (status) => (status === 'SUCCEEDED' ? green : isRunning(status) || status === 'PENDING' ? cyan : red);

/** Prints events and updates `state` until the run ends. */
export async function follow(state, events) {
  const started = performance.now();
  let drawnLineCount = 0;
  const erase = () => drawnLineCount > 0 && process.stdout.write(`\x1b[${drawnLineCount}A\r\x1b[J`);
  const redraw = (above = []) => {
    const lines = matrix(state, seconds(started));
    erase();
    process.stdout.write(`${[...above, ...lines].join('\n')}\n`);
    drawnLineCount = lines.length;
  };
  const live = isLive();
  const timer = live ? setInterval(redraw, REDRAW_MS) : undefined;
  try {
    for await (const event of events) {
      const changedLines = take(state, event)
        .map((each) => lineOf(each, columnWidth(state)))
        .filter(Boolean);
      if (live) redraw(changedLines);
      else changedLines.forEach((line) => say(line));
    }
  } finally {
    clearInterval(timer);
  }
  if (live) erase();
  for (const line of matrix(state, seconds(started))) say(line);
}

/** Width of the column of each host. */
const columnWidth = (state) => Math.max(...state.hosts.map(({ name }) => name.length)) + 2;

function lineOf({ host, step, line, result }, width) {
  if (line !== undefined) return fitToWidth(`${dim(`${host.padEnd(width)}│`)} `, width + 2, clean(line));
  if (isLive() && result.status === 'SUCCEEDED') return undefined; // the matrix already shows it
  return `${markOf(result.status)} ${host}: ${step?.name} ${result.status}${result.message ? `: ${clean(result.message)}` : ''}`;
}

/** Removes control characters, because output of a host must not control the terminal. */
const clean = (text) => stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ');

/** Truncates to one terminal line, because a wrapped line would break redrawing. */
function fitToWidth(before, width, text) {
  const space = (process.stdout.columns || Number.POSITIVE_INFINITY) - width - 1;
  return before + (text.length > space ? `${text.slice(0, Math.max(0, space - 1))}…` : text);
}

function matrix(state, passed) {
  const width = Math.max(...state.steps.map(({ name }) => name.length), 12);
  const head = `  ${' '.repeat(width)}  ${state.hosts.map(({ name }) => name.padEnd(columnWidth(state))).join('')}`;
  const rows = state.steps.map((step) => {
    const cells = state.hosts.map(({ id }) => cell(state, step, id));
    return `  ${step.name.padEnd(width)}  ${cells.join('')}`;
  });
  const status = colourOf(state.status)(bold(state.status));
  return ['', `  ${bold(state.name)}  ${status}  ${dim(passed)}`, '', head, ...rows, ''];
}

function cell(state, step, serverId) {
  const status = cellOf(state, step.key, serverId)?.status;
  const waits = status === undefined && step.status === 'PENDING';
  const mark = isRunning(status) ? cyan(isLive() ? frame() : '…') : markOf(waits ? 'PENDING' : status);
  return mark + ' '.repeat(columnWidth(state) - 1);
}
