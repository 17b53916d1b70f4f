import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import { randomBytes } from 'node:crypto';
import { matchesSelector, parseSelector } from '../../../inventory/selectors/selector.js';
import { type PlanStep, runsProgram, writesFile } from '../../../plans/steps/types/step-types.js';
import { scheduleDeadline } from '../../../transport/listening-time.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import type { RunConnections } from '../connections/run-connections.js';
import type { RunHost, RunContext } from '../connections/run-context.js';
import { createRedactor } from '../../output/redact-secrets.js';
import { findFrozenContent } from '../../record/run-content.js';
import { findStepScript, toStartingStep } from '../../steps/step-command.js';
import { BoundedText } from './bounded-text.js';
import {
  coversRequirement,
  type HostRequirement,
  mergeProbes,
  toHostRequirement,
  renderProbeScript,
  parseProbeOutput,
} from './host-probe.js';
import type { ProbeFinding } from './predict.js';

const PROBE_TIMEOUT_MS = 30_000;
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

  async probeHost(host: RunHost, index: number, signal: AbortSignal): Promise<ProbeFinding | null> {
    const same = this.runContext.sameMachine.get(host.serverId);
    if (same !== undefined) return { kind: 'blocked', outcome: toSameHostKeyOutcome(host.name, same) };
    const known = this.found.get(host.serverId);
    const needs = this.listLaterRequirements(host, index);
    const missing = known?.kind === 'answered' ? needs.filter((need) => !coversRequirement(known.probe, need)) : needs;
    if (known && (known.kind === 'blocked' || missing.length === 0)) return known;
    const connection = await this.connections.getConnection(host, signal);
    if (signal.aborted) return null;
    const probeFinding: ProbeFinding =
      'exec' in connection
        ? await runProbe(connection, host, missing, signal)
        : { kind: 'blocked', outcome: connection };
    if (signal.aborted) return null;
    if (probeFinding.kind === 'blocked' && probeFinding.outcome.code === 'exec_refused')
      this.connections.recordRefusal(host, probeFinding.outcome.message ?? '');
    const finding: ProbeFinding =
      known && probeFinding.kind === 'answered'
        ? { kind: 'answered', probe: mergeProbes(known.probe, probeFinding.probe) }
        : probeFinding;
    this.found.set(host.serverId, finding);
    // A dry run may have thousands of hosts, so it closes connections that it no longer needs.
    if (finding.kind === 'blocked' || !this.hasLaterCheck(host, index)) this.connections.dropConnection(host.serverId);
    return finding;
  }

  hasLaterCheck(host: RunHost, index: number): boolean {
    return this.steps.slice(index).some(({ step, isEligible }) => requiresProbe(step) && isEligible(host));
  }

  private findStepProgram(step: PlanStep): readonly string[] | undefined {
    const { library } = this.runContext.valuesFor(null).sources;
    return findFrozenContent(step, library) ? findStepScript(step, library)?.program : undefined;
  }

  /** Includes a step that runs once only when the run reaches it, and only for its host. */
  private listLaterRequirements(host: RunHost, index: number): HostRequirement[] {
    return this.steps.flatMap(({ step, isEligible }, at) => {
      const runsLater = at === index || (at > index && !step.runOnce && isEligible(host));
      const starting = toStartingStep(step);
      return runsLater && starting ? [toHostRequirement(starting, this.findStepProgram(step))] : [];
    });
  }
}

/** Whether the step queries the host after the probe: its check runs, or its file is read. */
const requiresProbe = (step: PlanStep): boolean => writesFile(step) || (runsProgram(step) && step.check !== null);

async function runProbe(
  connection: SshConnection,
  host: RunHost,
  needs: readonly HostRequirement[],
  signal: AbortSignal,
): Promise<ProbeFinding> {
  const mark = `runward-${randomBytes(16).toString('hex')}`;
  const answer = new BoundedText(NO_SECRETS, MAX_ANSWER_BYTES);
  const command = await connection.exec({
    script: renderProbeScript(needs, mark),
    onOutput: (stream, bytes) => (stream === 'stdout' ? answer.push(stream, bytes) : undefined),
    signal,
  });
  let isLate = false;
  const stop = (): void => void command.terminate(GRACE_MS).catch(() => undefined);
  const deadline = scheduleDeadline(PROBE_TIMEOUT_MS, () => {
    isLate = true;
    stop();
  });
  signal.addEventListener('abort', stop, { once: true });
  const result = await command.result.finally(() => {
    deadline.cancel();
    signal.removeEventListener('abort', stop);
  });
  if (isLate) {
    const words = `${host.name} authenticated Runward but did not answer within ${PROBE_TIMEOUT_MS / 1000} s. Check whether a folder or sudo hangs there.`;
    return { kind: 'blocked', outcome: toProbeOutcome('UNREACHABLE', 'probe_timed_out', words) };
  }
  const { fault } = connection;
  if (fault && result.kind !== 'exited')
    return { kind: 'blocked', outcome: toProbeOutcome('UNREACHABLE', fault.code, fault.message) };
  if (result.kind === 'lost')
    return { kind: 'blocked', outcome: toProbeOutcome('UNREACHABLE', 'connection_lost', result.message) };
  if (result.kind === 'refused')
    return { kind: 'blocked', outcome: toProbeOutcome('FAILED', 'exec_refused', result.message) };
  const probe = parseProbeOutput(answer.end(), needs, mark);
  if (probe) return { kind: 'answered', probe };
  const words = `The shell of ${host.username} on ${host.name} did not complete a simple script. Log in as ${host.username} and check /bin/sh.`;
  return { kind: 'blocked', outcome: toProbeOutcome('FAILED', 'shell_failed', words) };
}

const toProbeOutcome = (status: HostOutcome['status'], code: ReasonCode, message: string): HostOutcome => ({
  status,
  code,
  message,
  exitCode: null,
  signal: null,
});

/** A real start is refused as a whole. A dry run still predicts the earlier of the two hosts. */
const toSameHostKeyOutcome = (name: string, other: string): HostOutcome =>
  toProbeOutcome(
    'UNREACHABLE',
    'same_host_key',
    `"${name}" is the same machine as "${other}" of this run: they have the same login and a pinned host key in common. Runward does not start a run with both. Select one, or delete or disable the other. If they are copies with one key, ask an admin to mark the key as shared by several machines.`,
  );
