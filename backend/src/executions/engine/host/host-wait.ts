import { getListeningTimeMs } from '../../../transport/listening-time.js';
import type { WaitStep } from '../../../plans/steps/types/wait.step.js';
import { DETACHED, type Detached } from '../recovery/command-watch.js';
import {
  answeredOutcome,
  type HostOutcome,
  isHostKeyStatus,
  notAnsweredOutcome,
  notStartedOutcome,
  sshErrorToOutcome,
} from '../progress/host-outcome.js';
import type { StepContext } from '../step/step-context.js';
import { hasFinalCode } from '../step/retry-rule.js';
import type { RunHost } from '../connections/run-context.js';

const RETRY_DELAY_MS = 1_000;

/** Runs a `wait` step on one host, even while the host restarts. The step starts nothing, so it may be repeated. */
export class HostWait {
  constructor(
    private readonly context: StepContext,
    private readonly step: WaitStep,
    private readonly host: RunHost,
    private readonly withoutHostSlot: <T>(work: () => Promise<T>) => Promise<T>,
  ) {}

  async waitForHost(): Promise<HostOutcome | Detached> {
    const { control, connections, writer } = this.context;
    const { serverId } = this.host;
    const end = getListeningTimeMs() + this.step.timeoutSeconds * 1000;
    const { port, url } = this.step;
    let reported = false;
    for (;;) {
      const connection = await connections.getConnection(this.host, control.startAbortSignal);
      if (control.detachSignal.aborted) return DETACHED;
      if (control.stopCause) return notStartedOutcome(control.stopCause);
      let last: HostOutcome;
      if ('exec' in connection) {
        if (!reported) {
          reported = true;
          writer
            .addChange({ serverId, kind: 'started', first: true, journaled: false, before: null })
            .catch(() => undefined);
        }
        const timeoutMs = Math.max(1, Math.ceil(end - getListeningTimeMs()));
        const target = url === null ? { port: port ?? 0 } : { url };
        const found = await this.withoutHostSlot(() =>
          connection.probe(target, { timeoutMs, signal: control.startAbortSignal }),
        );
        if (control.detachSignal.aborted) return DETACHED;
        if (control.stopCause) return notStartedOutcome(control.stopCause);
        if (found.answered) return answeredOutcome(found.at);
        if (connection.fault) return sshErrorToOutcome(connection.fault);
        last = notAnsweredOutcome(found.message);
        if (connection.isOpen) return last;
        connections.dropConnection(serverId);
      } else {
        last = connection;
        if (isHostKeyStatus(connection.status) || hasFinalCode(connection)) return connection;
      }
      if (getListeningTimeMs() + RETRY_DELAY_MS >= end) return last;
      await this.withoutHostSlot(() => control.waitUnlessStopped(RETRY_DELAY_MS));
    }
  }
}
