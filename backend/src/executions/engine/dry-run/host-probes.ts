import { randomBytes } from 'node:crypto';
import { matchesSelector, parseSelector } from '../../../inventory/selectors/selector.js';
import { type PlanStep, writesFile } from '../../../plans/steps/plan-content.js';
import { scheduleDeadline } from '../../../transport/listening-time.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import type { RunConnections } from '../connections/run-connections.js';
import type { RunHost, RunContext } from '../connections/run-context.js';
import { createRedactor } from '../../output/redact-secrets.js';
import { scriptOf, startingStep } from '../../steps/step-command.js';
import { BoundedText } from './bounded-text.js';
import { coversNeed, type HostNeed, mergeProbes, needOf, probeScript, readProbe } from './host-probe.js';
import type { ProbeFinding } from './predict.js';

const PROBE_MS = 30_000;
const GRACE_MS = 2_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const NO_SECRETS = createRedactor([]);

/** Probes each host of a dry run once, for all of the run's steps. */
export class HostProbes {
  private readonly found = new Map<string, ProbeFinding>();
  private readonly steps: { step: PlanStep; isEligible: (host: RunHost) => boolean }[];

  constructor(
    private readonly runContext: Pick<RunContext, 'steps' | 'sameMachine' | 'valuesFor'>,
    private readonly connections: RunConnections,
  ) {
    this.steps = runContext.steps.map((step) => {
      const selector = parseSelector(step.targets);
      return { step, isEligible: (host) => matchesSelector(selector, host) };
    });
  }

  async of(host: RunHost, index: number, signal: AbortSignal): Promise<ProbeFinding | null> {
    const same = this.runContext.sameMachine.get(host.serverId);
    if (same !== undefined) return { kind: 'blocked', outcome: sameMachine(host.name, same) };
    const known = this.found.get(host.serverId);
    const needs = this.needsFrom(host, index);
    const missing = known?.kind === 'answered' ? needs.filter((need) => !coversNeed(known.probe, need)) : needs;
    if (known && (known.kind === 'blocked' || missing.length === 0)) return known;
    const connection = await this.connections.get(host, signal);
    if (signal.aborted) return null;
    const probeFinding: ProbeFinding =
      'exec' in connection ? await ask(connection, host, missing, signal) : { kind: 'blocked', outcome: connection };
    if (signal.aborted) return null;
    if (probeFinding.kind === 'blocked' && probeFinding.outcome.code === 'exec_refused')
      this.connections.noteRefusal(host, probeFinding.outcome.message ?? '');
    const finding: ProbeFinding =
      known && probeFinding.kind === 'answered'
        ? { kind: 'answered', probe: mergeProbes(known.probe, probeFinding.probe) }
        : probeFinding;
    this.found.set(host.serverId, finding);
    // A dry run may have thousands of hosts, so it closes connections that it no longer needs.
    if (finding.kind === 'blocked' || !this.hasCheckFrom(host, index)) this.connections.drop(host.serverId);
    return finding;
  }

  hasCheckFrom(host: RunHost, index: number): boolean {
    return this.steps.slice(index).some(({ step, isEligible }) => needsProbe(step) && isEligible(host));
  }

  private programOf(step: PlanStep): readonly string[] | undefined {
    const { library } = this.runContext.valuesFor(null).sources;
    if (step.type !== 'script' || !library || !Object.hasOwn(library.scripts, step.scriptId)) return undefined;
    return scriptOf(step, library).program;
  }

  /** Includes a step that runs once only when the run reaches it, and only for its host. */
  private needsFrom(host: RunHost, index: number): HostNeed[] {
    return this.steps.flatMap(({ step, isEligible }, at) => {
      const runsLater = at === index || (at > index && !step.runOnce && isEligible(host));
      const starting = startingStep(step);
      return runsLater && starting ? [needOf(starting, this.programOf(step))] : [];
    });
  }
}

/** Whether the step queries the host after the probe: its check runs, or its file is read. */
const needsProbe = (step: PlanStep): boolean =>
  writesFile(step) || ((step.type === 'command' || step.type === 'script') && step.check !== null);

async function ask(
  connection: SshConnection,
  host: RunHost,
  needs: readonly HostNeed[],
  signal: AbortSignal,
): Promise<ProbeFinding> {
  const mark = `runward-${randomBytes(16).toString('hex')}`;
  const answer = new BoundedText(NO_SECRETS, MAX_ANSWER_BYTES);
  const command = await connection.exec({
    script: probeScript(needs, mark),
    onOutput: (stream, bytes) => (stream === 'stdout' ? answer.push(stream, bytes) : undefined),
    signal,
  });
  let isLate = false;
  const stop = (): void => void command.terminate(GRACE_MS).catch(() => undefined);
  const deadline = scheduleDeadline(PROBE_MS, () => {
    isLate = true;
    stop();
  });
  signal.addEventListener('abort', stop, { once: true });
  const result = await command.result.finally(() => {
    deadline.cancel();
    signal.removeEventListener('abort', stop);
  });
  if (isLate) {
    const words = `${host.name} authenticated Runward but did not answer within ${PROBE_MS / 1000} s. Check whether a folder or sudo hangs there.`;
    return { kind: 'blocked', outcome: outcomeOf('UNREACHABLE', 'probe_timed_out', words) };
  }
  const { fault } = connection;
  if (fault && result.kind !== 'exited')
    return { kind: 'blocked', outcome: outcomeOf('UNREACHABLE', fault.code, fault.message) };
  if (result.kind === 'lost')
    return { kind: 'blocked', outcome: outcomeOf('UNREACHABLE', 'connection_lost', result.message) };
  if (result.kind === 'refused')
    return { kind: 'blocked', outcome: outcomeOf('FAILED', 'exec_refused', result.message) };
  const probe = readProbe(answer.end(), needs, mark);
  if (probe) return { kind: 'answered', probe };
  const words = `The shell of ${host.username} on ${host.name} did not complete a simple script. Log in as ${host.username} and check /bin/sh.`;
  return { kind: 'blocked', outcome: outcomeOf('FAILED', 'shell_failed', words) };
}

const outcomeOf = (status: HostOutcome['status'], code: string, message: string): HostOutcome => ({
  status,
  code,
  message,
  exitCode: null,
  signal: null,
});

/** A real start is refused as a whole. A dry run still predicts the earlier of the two hosts. */
const sameMachine = (name: string, other: string): HostOutcome =>
  outcomeOf(
    'UNREACHABLE',
    'same_host_key',
    `"${name}" is the same machine as "${other}" of this run: they have the same login and a pinned host key in common. Runward does not start a run with both. Select one, or delete or disable the other. If they are copies with one key, ask an admin to mark the key as shared by several machines.`,
  );
