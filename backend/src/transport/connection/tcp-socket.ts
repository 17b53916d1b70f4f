import dns from 'node:dns';
import net from 'node:net';
import os from 'node:os';
import type { Duplex } from 'node:stream';
import { toCanonicalAddress, findHostAddressFault, readIpv6Zone } from '../../common/network/host-address.js';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { scheduleDeadline } from '../listening-time.js';
import { toSshError, formatEndpoint, SshError } from '../ssh-errors.js';
import { type JumpHost, openSocketThroughJumpHost } from './jump-host.js';
import { PacedSocket } from './paced-socket.js';

/**
 * Delay before the next address of a host name is tried, in ms. Node's default of 250 ms is too short for slow
 * networks.
 */
const NEXT_ADDRESS_DELAY_MS = 1500;

interface OpenedSocket {
  socket: Duplex;
  /** Without name resolution. */
  latencyMs: number;
}

export interface ReachedAddress {
  /**
   * Address in canonical form. Behind a jump server it is the registered name, because only the jump server resolves
   * it.
   */
  address: string;
  port: number;
}

/**
 * Decides whether the connection may continue. Nothing was sent before.
 * @throws SshError to refuse the connection; other errors are passed on unchanged
 */
export type AdmissionCheck = (reached: ReachedAddress) => Promise<void>;

/**
 * Stage of a connection. Its detail: `resolved`: comma-separated addresses; `connected`: the reached and admitted
 * address; `identified`: name of the SSH server software, empty if it cannot be displayed; `agreed`: the host has
 * proved its key.
 */
export type ConnectionStage = 'resolved' | 'connected' | 'identified' | 'agreed';
export type ConnectionStageListener = (stage: ConnectionStage, detail: string) => void;

export interface SocketOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  admit?: AdmissionCheck;
  refused?: RefusedAddresses;
  onStage?: ConnectionStageListener;
  via?: JumpHost;
}

const DEFAULT_REFUSED_ADDRESSES = new RefusedAddresses();

/**
 * Opens a TCP connection. Sends nothing until the connection is admitted.
 * @throws SshError
 */
export async function openAdmittedSocket(
  target: { host: string; port: number },
  options: SocketOptions,
): Promise<{ socket: PacedSocket; latencyMs: number; reached: ReachedAddress }> {
  const { socket: raw, latencyMs, remoteAddress } = await openSocket(target, options);
  const socket = new PacedSocket(raw);
  // Prevents that an 'error' ends the process before the caller has added its own listeners.
  socket.on('error', () => undefined);
  const { port } = target;
  try {
    if (remoteAddress === undefined) throw toConnectionError('connect', target, options);
    const reached = { address: toCanonicalAddress(remoteAddress), port };
    await options.admit?.(reached);
    if (socket.destroyed || options.signal?.aborted) throw toConnectionError('handshake', target, options);
    options.onStage?.('connected', reached.address);
    return { socket, latencyMs, reached };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const toConnectionError = (
  phase: 'connect' | 'handshake',
  { host, port }: { host: string; port: number },
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): SshError => toSshError({ level: 'client-socket' }, { host, port, phase, timeoutMs, aborted: signal?.aborted });

type ConnectedSocket = OpenedSocket & { remoteAddress: string | undefined };

/**
 * Opens a TCP connection without Nagle's algorithm, which would delay the small packets of SSH.
 *
 * @throws SshError
 */
function openSocket(
  { host, port }: { host: string; port: number },
  { timeoutMs, signal, refused = DEFAULT_REFUSED_ADDRESSES, onStage, via }: SocketOptions,
): Promise<ConnectedSocket> {
  const fault = findHostAddressFault(host) ?? (via ? null : findZoneFault(host));
  if (fault !== null) {
    const text = `Runward does not connect to ${formatEndpoint({ host, port })}: ${fault}. Change the server.`;
    return Promise.reject(new SshError('address_not_allowed', text));
  }
  if (refused.includes(host)) return Promise.reject(toAddressRefusedError({ host, port }, host));
  if (net.isIP(host) !== 0) onStage?.('resolved', host);
  if (via) return openSocketThroughJumpHost(via, { host, port }, { timeoutMs, signal });
  const failure = (raw: unknown): SshError =>
    toSshError(raw, { host, port, phase: 'connect', timeoutMs, aborted: signal?.aborted });
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(failure(signal.reason));
      return;
    }
    const socket = net.connect({
      host,
      port,
      lookup: createLookup(port, refused, onStage),
      noDelay: true,
      autoSelectFamilyAttemptTimeout: Math.max(10, Math.min(NEXT_ADDRESS_DELAY_MS, timeoutMs / 2)),
    });
    let attemptedAt = performance.now();
    socket.on('connectionAttempt', () => (attemptedAt = performance.now()));
    const settle = (act: () => void) => {
      deadline.cancel();
      signal?.removeEventListener('abort', onAbort);
      socket.removeListener('connect', onConnect);
      act();
    };
    const fail = (raw: unknown) =>
      settle(() => {
        socket.destroy();
        reject(failure(raw));
      });
    const onAbort = () => fail(signal?.reason);
    const onConnect = () =>
      settle(() => {
        socket.removeListener('error', fail);
        const latencyMs = Math.round(performance.now() - attemptedAt);
        resolve({ socket, latencyMs, remoteAddress: socket.remoteAddress });
      });
    const deadline = scheduleDeadline(timeoutMs, () => fail({ code: 'ETIMEDOUT' }));
    signal?.addEventListener('abort', onAbort, { once: true });
    // The 'error' listener stays after a failure, because an aborted attempt may still report an error.
    socket.on('error', fail);
    socket.once('connect', onConnect);
  });
}

/**
 * Resolves a name and removes refused addresses. The connection uses this answer and never resolves the name again (DNS
 * rebinding). An IP address needs no resolution.
 */
function createLookup(port: number, refused: RefusedAddresses, onStage?: ConnectionStageListener): net.LookupFunction {
  return (host, options, done) =>
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const open = found.filter(({ address }) => !refused.includes(address));
      const [first] = open;
      if (!first) return done(toAddressRefusedError({ host, port }, found[0]?.address ?? host), []);
      onStage?.('resolved', open.map(({ address }) => address).join(', '));
      return options.all ? done(null, open) : done(null, first.address, first.family);
    });
}

function toAddressRefusedError(target: { host: string; port: number }, address: string): SshError {
  const which = address === target.host ? 'this is an address' : `its name resolves to ${address}, an address`;
  const text = `Runward does not connect to ${formatEndpoint(target)}: ${which} that this installation refuses (RUNWARD_REFUSED_ADDRESSES). Register the server under another address, or ask the operator of this installation to allow this one.`;
  return new SshError('address_refused', text);
}

/**
 * Returns why the zone of an IPv6 address is invalid; null: it is valid. The system would ignore an unknown interface,
 * so this machine itself might answer.
 */
function findZoneFault(host: string): string | null {
  const zone = readIpv6Zone(host);
  if (zone === null || Object.hasOwn(os.networkInterfaces(), zone)) return null;
  return `the machine that Runward runs on has no network interface ${zone}`;
}
