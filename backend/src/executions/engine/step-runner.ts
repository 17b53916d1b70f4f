import { newId } from '../../common/ids.js';
import { composeScript } from '../../plans/variables/environment-script.js';
import { renderCommand } from '../../plans/variables/render-command.js';
import type { RunningCommand } from '../../transport/remote-command.js';
import type { SshConnection } from '../../transport/ssh-connection.js';
import { OwnershipLost } from '../run-store.js';
import { type HostOutcome, notStarted, outcomeOfCommand, type StopCause, workerStopped } from './host-outcome.js';
import { HostOutput } from './host-output.js';
import type { Lease } from './lease.js';
import type { RunConnections } from './run-connections.js';
import type { RunHost, RunMaterial } from './run-material.js';
import type { RunWriter } from './run-writer.js';
import type { Slots } from './slots.js';

/** A command that is told to end gets this long to do so politely, in ms. */
const POLITE_MS = 10_000;
/** After everything was tried, a command that still shows no end is given up, in ms. */
const GIVE_UP_MS = 5_000;
/** How much of the output limit is kept of its end, in bytes. */
const TAIL_BYTES = 128 * 1024;

export interface StepRunnerParts {
  material: RunMaterial;
  connections: RunConnections;
  writer: RunWriter;
  lease: Lease;
  slots: Slots;
  outputLimitBytes: number;
}

/** Runs one step on its hosts, as many at a time as there are slots. Every result that it stores was observed. */
export class StepRunner {
  private readonly running = new Map<string, { command: RunningCommand; stop(cause: StopCause): void }>();
  /** What was begun with the intent to start a command; ends when its result is stored. */
  private readonly underWay = new Set<Promise<void>>();
  private readonly connecting = new AbortController();
  private stopCause: StopCause | null = null;
  private detached = false;
  private readonly script: string;
  private readonly timeoutSeconds: number;

  constructor(
    private readonly parts: StepRunnerParts,
    stepIndex: number,
  ) {
    const { material } = parts;
    const step = material.steps[stepIndex];
    if (!step) throw new Error(`The run has no step ${stepIndex}.`);
    this.timeoutSeconds = step.timeoutSeconds;
    this.script = composeScript({ command: renderCommand(step.command, material.values), exports: material.exports });
  }

  /** Resolves when each host has a stored result, or when the runner was detached. @throws OwnershipLost */
  async run(serverIds: readonly string[]): Promise<void> {
    const outcomes = await Promise.allSettled(serverIds.map((id) => this.runInSlot(id)));
    const failure = outcomes.find((each): each is PromiseRejectedResult => each.status === 'rejected');
    if (failure && !this.detached) throw failure.reason;
  }

  /** Stops what runs and keeps the rest from starting. */
  stop(cause: StopCause): void {
    if (this.stopCause) return;
    this.stopCause = cause;
    this.connecting.abort();
    for (const each of this.running.values()) each.stop(cause);
  }

  /** Starts nothing new; commands that run may still end. Resolves when the results of all are stored, or after `ms`. */
  async finishRunning(ms: number): Promise<void> {
    this.detached = true;
    this.connecting.abort();
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      Promise.allSettled(this.underWay),
      new Promise((resolve) => (timer = setTimeout(resolve, ms))),
    ]);
    clearTimeout(timer);
  }

  private async runInSlot(serverId: string): Promise<void> {
    const release = await this.parts.slots.take();
    try {
      if (this.detached || this.parts.lease.lost.aborted) return;
      const host = this.parts.material.hosts.get(serverId);
      if (!host) throw new Error('A step targets a host that the run does not have.');
      await this.runHost(host);
    } finally {
      release();
    }
  }

  private async runHost(host: RunHost): Promise<void> {
    const { writer, connections } = this.parts;
    const { serverId } = host;
    if (this.stopCause) return this.finish(serverId, notStarted(this.stopCause), null);
    // Stored with whatever comes next; a failure of it shows there too.
    writer.change({ serverId, kind: 'connecting' }).catch(() => undefined);
    const connection = await connections.get(host, this.connecting.signal);
    if (this.detached) return;
    if (this.stopCause) return this.finish(serverId, notStarted(this.stopCause), null);
    if (!('exec' in connection)) return this.finish(serverId, connection, null);
    const ended = this.runCommand(serverId, connection);
    this.underWay.add(ended);
    await ended.finally(() => this.underWay.delete(ended));
  }

  private async runCommand(serverId: string, connection: SshConnection): Promise<void> {
    const { writer, lease } = this.parts;
    await writer.change({ serverId, kind: 'dispatch', dispatchId: newId() });
    await lease.demand();
    if (this.stopCause) return this.finish(serverId, notStarted(this.stopCause), null);
    const output = new HostOutput(serverId, writer, this.parts.material.redactor, this.outputLimits());
    writer.add(output);
    const command = await connection.exec({
      script: this.script,
      onStarted: () => void writer.change({ serverId, kind: 'started' }).catch(() => undefined),
      onOutput: (stream, bytes) => output.push(stream, bytes),
    });
    const outcome = await this.observe(serverId, command);
    output.end();
    await this.finish(serverId, this.detached && outcome.status === 'UNKNOWN' ? workerStopped() : outcome, output);
  }

  /** Waits for the command's end, and brings it about when it takes too long or the run is stopped. */
  private async observe(serverId: string, command: RunningCommand): Promise<HostOutcome> {
    let cause: StopCause | null = null;
    const stop = (why: StopCause): void => {
      if (cause) return;
      cause = why;
      void this.end(serverId, command);
    };
    this.running.set(serverId, { command, stop });
    const timer = setTimeout(() => stop('step_timeout'), this.timeoutSeconds * 1000);
    if (this.stopCause) stop(this.stopCause);
    try {
      const result = await command.result;
      if (result.kind === 'lost') this.parts.connections.drop(serverId);
      return outcomeOfCommand(result, cause, this.timeoutSeconds);
    } finally {
      clearTimeout(timer);
      this.running.delete(serverId);
    }
  }

  private async end(serverId: string, command: RunningCommand): Promise<void> {
    await command.terminate(POLITE_MS).catch(() => undefined);
    const timer = setTimeout(() => this.parts.connections.drop(serverId), GIVE_UP_MS);
    await command.result.catch(() => undefined);
    clearTimeout(timer);
  }

  private async finish(serverId: string, outcome: HostOutcome, output: HostOutput | null): Promise<void> {
    if (this.parts.lease.lost.aborted) throw new OwnershipLost();
    const { redactor } = this.parts.material;
    const message = outcome.message === null ? null : redactor.text(outcome.message);
    await this.parts.writer.change({
      serverId,
      kind: 'finished',
      outcome: { ...outcome, message },
      totals: output?.totals() ?? null,
    });
    if (output) this.parts.writer.remove(output);
  }

  private outputLimits() {
    const { outputLimitBytes } = this.parts;
    const tailBytes = Math.min(TAIL_BYTES, Math.floor(outputLimitBytes / 2));
    return { headBytes: outputLimitBytes - tailBytes, tailBytes };
  }
}
