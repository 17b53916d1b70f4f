import type { RefusedAddresses } from '../../../common/network/refused-addresses.js';
import { toHop } from '../../../inventory/fields/server-connection.js';
import type { JumpHost } from '../../../transport/connection/jump-host.js';
import { openJumpHop } from '../../../transport/connection/jump-route.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { SshError } from '../../../transport/ssh-errors.js';
import type { RunContext } from './run-context.js';

export class RunJumps {
  private readonly openingConnections = new Map<string, Promise<SshConnection>>();
  private readonly abortController = new AbortController();

  constructor(
    private readonly runContext: Pick<RunContext, 'privateKeys' | 'jumps'>,
    private readonly refused: RefusedAddresses,
  ) {}

  /**
   * @param signal stops waiting; the connection still opens, for other hosts
   * @throws SshError `jump_failed`, `aborted`
   */
  async openJumpHost(jumpServerId: string, signal: AbortSignal): Promise<JumpHost> {
    const connection = await rejectOnAbort(this.getConnection(jumpServerId), signal);
    return connection.asJumpHost(this.toJumpHop(jumpServerId).label);
  }

  closeAll(): void {
    this.abortController.abort();
    for (const opening of this.openingConnections.values())
      opening.then((connection) => connection.end()).catch(() => undefined);
    this.openingConnections.clear();
  }

  /** Returns the connection to a jump server, and reopens it if it has ended. */
  private getConnection(id: string): Promise<SshConnection> {
    const known = this.openingConnections.get(id);
    if (known) return known;
    const opening = this.openConnection(id);
    this.openingConnections.set(id, opening);
    const forget = () => {
      if (this.openingConnections.get(id) === opening) this.openingConnections.delete(id);
    };
    opening.then(({ closed }) => closed.then(forget), forget);
    return opening;
  }

  private async openConnection(id: string): Promise<SshConnection> {
    const before = this.runContext.jumps.get(id)?.jumpServerId ?? null;
    const via = before === null ? undefined : await this.openJumpHost(before, this.abortController.signal);
    return openJumpHop(this.toJumpHop(id), { via, refused: this.refused, signal: this.abortController.signal });
  }

  private toJumpHop(id: string) {
    const jump = this.runContext.jumps.get(id);
    if (!jump) throw new SshError('jump_failed', 'The jump server of the host was deleted.');
    return toHop(jump, this.runContext.privateKeys);
  }
}

function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new SshError('aborted', 'Connecting to the jump server was cancelled.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
