import type { Duplex } from 'node:stream';
import ssh2, { type Client, type ServerHostKeyAlgorithm } from 'ssh2';
import type { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { hostKeyFromBlob, type HostKey } from '../keys/host-key.js';
import {
  HOST_KEY_ALGORITHMS,
  getHostKeyAlgorithms,
  toLibraryAlgorithms,
  getOfferedAlgorithms,
} from '../keys/ssh-algorithms.js';
import { limitPeerMessages } from '../client/peer-guard.js';
import { scheduleDeadline } from '../listening-time.js';
import { recordGreeting } from './greeting.js';
import { recordFirstBytes, readServerProposal } from './server-proposal.js';
import type { JumpHost } from './jump-host.js';
import { toSshError, type SshAttempt } from '../ssh-errors.js';
import { type AdmissionCheck, openAdmittedSocket, type ConnectionStageListener } from './tcp-socket.js';

export interface ScanOptions {
  signal?: AbortSignal;
  admit?: AdmissionCheck;
  /** Addresses that are never connected to; see `SocketOptions`. */
  refused?: RefusedAddresses;
  onStage?: ConnectionStageListener;
  connectTimeoutMs?: number;
  handshakeTimeoutMs?: number;
  type?: string;
  via?: JumpHost;
  /** Also offers algorithms of old SSH servers; absent: the host is not registered and has no such setting. */
  legacyAlgorithms?: boolean;
}

/**
 * Reads a host key that the server shows and proves to own. Disconnects after the key exchange, so that no login data
 * is sent. A person must then decide whether the key is the right one.
 *
 * @throws SshError
 */
export async function scanHostKey(host: string, port: number, options: ScanOptions = {}): Promise<HostKey> {
  const { type } = options;
  const names = HOST_KEY_ALGORITHMS.filter((name) => !type || getHostKeyAlgorithms(type).includes(name));
  return scanHost(host, port, options, names, (client, blob, socket, resolve) => {
    const presentedKey = hostKeyFromBlob(blob);
    // emitted after the host has signed the exchange with its key; the login would start in the same tick
    client.on('handshake', () => {
      socket.destroy();
      resolve(presentedKey);
    });
    return true;
  });
}

/**
 * Reads the key or certificate that a server shows in a key exchange with one of these algorithms. Disconnects before
 * the server has proved that it owns the key.
 *
 * @throws SshError
 */
export const scanHostKeyBlob = (
  host: string,
  port: number,
  options: ScanOptions,
  names: readonly string[],
): Promise<Buffer> =>
  scanHost(host, port, options, names, (_, blob, socket, resolve) => {
    resolve(Buffer.from(blob));
    socket.destroy();
    return false;
  });

type KeyBlobHandler<T> = (client: Client, blob: Buffer, socket: Duplex, resolve: (found: T) => void) => boolean;

async function scanHost<T>(
  host: string,
  port: number,
  options: ScanOptions,
  names: readonly string[],
  onKeyBlob: KeyBlobHandler<T>,
): Promise<T> {
  const { signal, admit, refused, onStage, connectTimeoutMs = 10_000, handshakeTimeoutMs = 20_000, via } = options;
  const { legacyAlgorithms } = options;
  const offeredNames = getOfferedAlgorithms(names as ServerHostKeyAlgorithm[], legacyAlgorithms);
  const bounds = { timeoutMs: connectTimeoutMs, signal, admit, refused, onStage, via };
  const { socket } = await openAdmittedSocket({ host, port }, bounds);
  const attempt: SshAttempt = { host, port, phase: 'handshake', timeoutMs: handshakeTimeoutMs };
  let getFirstBytes = (): Buffer => Buffer.alloc(0);
  const onAbort = () => socket.destroy();
  signal?.addEventListener('abort', onAbort, { once: true });
  const deadline = scheduleDeadline(handshakeTimeoutMs, () => {
    attempt.timedOut = true;
    socket.destroy();
  });
  try {
    return await new Promise<T>((resolve, reject) => {
      const client = new ssh2.Client();
      client.on('error', reject);
      client.on('close', () => reject(new Error('No response from server')));
      client.connect({
        sock: socket,
        username: 'none', // never sent, but required by the library
        authHandler: [],
        hostVerifier: (blob: Buffer) => onKeyBlob(client, blob, socket, resolve),
        algorithms: toLibraryAlgorithms(offeredNames),
        readyTimeout: 0,
      });
      getFirstBytes = recordFirstBytes(socket);
      limitPeerMessages(client, socket);
      recordGreeting(socket, attempt, (name) => onStage?.('identified', name));
    });
  } catch (error) {
    const proposal = readServerProposal(getFirstBytes());
    const known = { aborted: signal?.aborted, proposal, offered: offeredNames, legacyAlgorithms };
    throw toSshError(error, { ...attempt, ...known });
  } finally {
    deadline.cancel();
    socket.destroy();
    signal?.removeEventListener('abort', onAbort);
  }
}
