import type { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { SshError } from '../ssh-errors.js';
import type { JumpHost } from './jump-host.js';
import { openConnection, type SshConnection, type SshTarget } from './ssh-connection.js';

export interface JumpHop {
  /** Name in messages, such as `jump server "bastion"`. */
  label: string;
  target: SshTarget | null;
}

interface JumpRouteOptions {
  signal?: AbortSignal;
  refused?: RefusedAddresses;
  connectTimeoutMs?: number;
  handshakeTimeoutMs?: number;
}

export interface JumpRoute {
  via?: JumpHost;
  end(): void;
}

/**
 * Connects through these jump servers in order. Each one is verified with its own pinned keys.
 * @throws SshError `jump_failed`, `aborted`
 */
export async function openJumpRoute(hops: readonly JumpHop[], options: JumpRouteOptions): Promise<JumpRoute> {
  const open: SshConnection[] = [];
  const end = () => open.reverse().forEach((connection) => connection.end());
  let via: JumpHost | undefined;
  try {
    for (const hop of hops) {
      const connection = await openJumpHop(hop, { ...options, via });
      open.push(connection);
      via = connection.asJumpHost(hop.label);
    }
  } catch (error) {
    end();
    throw error;
  }
  return { via, end };
}

/** @throws SshError `jump_failed`, `aborted` */
export async function openJumpHop(
  { label: called, target }: JumpHop,
  options: JumpRouteOptions & { via?: JumpHost },
): Promise<SshConnection> {
  if (!target) throw toJumpError(called, 'its SSH key no longer exists. Set another one.');
  if (target.hostKeys.length + (target.authorities?.length ?? 0) === 0)
    throw toJumpError(called, 'its host key is not pinned yet. Check it, and accept its key.');
  try {
    return await openConnection(target, options);
  } catch (error) {
    if (!(error instanceof SshError) || error.code === 'aborted') throw error;
    throw new SshError('jump_failed', `The ${called} is not reached: ${error.message}`, { cause: error });
  }
}

const toJumpError = (label: string, why: string) => new SshError('jump_failed', `The ${label} is not reached: ${why}`);
