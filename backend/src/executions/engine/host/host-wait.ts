import { getListeningTimeMs } from '../../../transport/listening-time.js';
import type { ProbeTarget } from '../../../transport/connection/wait-probe.js';
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

/** Waits on one host until it can reach the target, even while the host restarts. Starts nothing, so it may be repeated. */
export class HostWait {
  constructor(
    private readonly context: StepContext,
    private readonly wait: { target: ProbeTarget; timeoutSeconds: number },
    private readonly host: RunHost,
    private readonly withoutHostSlot: <T>(work: () => Promise<T>) => Promise<T>,
  ) {}

  async waitForHost(): Promise<HostOutcome | Detached> {
    const { control, connections, writer } = this.context;
    const { serverId } = this.host;
    const end = getListeningTimeMs() + this.wait.timeoutSeconds * 1000;
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
        const found = await this.withoutHostSlot(() =>
          connection.probe(this.wait.target, { timeoutMs, signal: control.startAbortSignal }),
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
