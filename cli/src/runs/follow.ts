import type { Session } from '../client/session.ts';
import type { Colour, Output } from '../terminal/output.ts';
import { padToWidth } from '../terminal/table.ts';
import { FINISHED_EVENT, type RunEvent, streamRunEvents } from './stream/events.ts';
import { HostNames } from './host-names.ts';
import { formatOutputLine, OutputLineAssembler, type OutputLine } from './stream/lines.ts';
import { describePause } from './pauses.ts';
import { printResult } from './print-result.ts';
import { isPaused, type Run, toStatusText } from './run.ts';
import { readRun, type WaitOptions } from './wait.ts';

export interface FollowOptions extends WaitOptions {
  /** Number of the event after which to begin; 0 = all events. */
  after: number;
  /** Resolves when the terminal shows no question. */
  quiet: () => Promise<void>;
}

/** Prints the live output of a run until it ends, the time is over, or it pauses and a pause ends following. */
export async function followRun(session: Session, run: Run, options: FollowOptions): Promise<Run> {
  const stop = new AbortController();
  const late =
    options.deadline === null
      ? null
      : setTimeout(() => stop.abort(), Math.max(0, options.deadline - performance.now()));
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const showEvent = session.out.isStructured ? createItemPrinter(session.out) : await createLinePrinter(session, run);
  /** Current pause. The output before it is printed first. */
  let paused = isPaused(run) ? run : null;
  let reported: string | null = null;
  let last = options.after;
  const isOver = () => paused !== null && last >= paused.lastEventId && options.stopWhenPaused();
  try {
    if (isOver() && paused) return paused;
    for await (const event of streamRunEvents(session, run.id, options.after, signal)) {
      await options.quiet();
      await showEvent(event);
      if (event.type === FINISHED_EVENT) break;
      last = event.id;
      if (isPauseEvent(event) && last > (paused?.lastEventId ?? 0)) {
        const latest = await readRun(session, run.id, options.signal);
        paused = isPaused(latest) ? latest : null;
      }
      if (paused === null || last < paused.lastEventId) continue;
      if (options.stopWhenPaused()) return paused;
      const since = paused.pause?.since ?? '';
      if (reported !== since) for (const line of describePause(paused)) session.out.note(line);
      reported = since;
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (!stop.signal.aborted) throw error;
  } finally {
    if (late !== null) clearTimeout(late);
  }
  return readRun(session, run.id, options.signal);
}

const PAUSE_EVENTS = new Set(['approval.requested', 'decision.requested']);
const isPauseEvent = ({ type, data }: RunEvent): boolean =>
  PAUSE_EVENTS.has(type) || (type === 'execution.status_changed' && data.status === 'PAUSED');

type EventPrinter = (event: RunEvent) => Promise<void>;

const createItemPrinter =
  (out: Output): EventPrinter =>
  (event) => {
    printResult(out, () => out.item(event));
    return Promise.resolve();
  };

async function createLinePrinter(session: Session, run: Run): Promise<EventPrinter> {
  const { out } = session;
  const names = new HostNames(session, run);
  const parts = new OutputLineAssembler();
  const prefix = async (serverId: string, colour: Colour): Promise<string> =>
    out.paint(colour, padToWidth(out.safe(await names.findName(serverId)), names.width));
  const print = async (lines: readonly OutputLine[]) => {
    for (const line of lines) out.line(formatOutputLine(out, await prefix(line.serverId, 'cyan'), line));
  };
  return async ({ type, data }) => {
    const { serverId = '', stepKey = '', status = '' } = data;
    switch (type) {
      case 'output.appended':
        for (const line of data.lines ?? []) await print(parts.add(line));
        return;
      case 'step.started':
        out.line(out.paint('bold', `== ${out.safe(stepKey)}`));
        return;
      case 'host.finished':
        await print(parts.end(serverId, stepKey ?? ''));
        if (status !== 'SUCCEEDED' && status !== 'SKIPPED') {
          const why = [data.exitCode ? `exit code ${data.exitCode}` : null, data.reason?.text]
            .filter(Boolean)
            .join(': ');
          out.line(`${await prefix(serverId, 'red')} ✗ ${status}${why ? ` (${out.safe(why)})` : ''}`);
        } else if (data.verdict)
          out.line(
            `${await prefix(serverId, 'green')} ${data.verdict}${data.reason ? ` (${out.safe(data.reason.text)})` : ''}`,
          );
        return;
      case 'host.retrying':
      case 'host.reconnecting':
        out.line(`${await prefix(serverId, 'yellow')} … ${out.safe(data.reason?.text ?? type)}`);
        return;
      case 'execution.status_changed':
        if (status && status !== 'PAUSED') out.note(`The run ${toStatusText(status as Run['status'])}.`);
        return;
      case FINISHED_EVENT:
        await print(parts.end());
        return;
      default:
    }
  };
}
