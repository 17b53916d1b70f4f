import net from 'node:net';
import os from 'node:os';
import { canonicalAddress, hostAddressFault, zoneOf } from '../../common/network/host-address.js';
import { deadlineIn } from '../listening-time.js';
import { classifySshFailure, endpointOf, SshError } from '../ssh-errors.js';

/** A host name with several addresses: how long each is tried before the next one. Node's own 250 ms is less than a slow line needs. */
const NEXT_ADDRESS_AFTER_MS = 1500;

interface OpenedSocket {
  socket: net.Socket;
  /** How long the connection took to stand, from the attempt at this address on: without the look-up of its name. */
  latencyMs: number;
}

/** Where a connection has come to. */
export interface Reached {
  /** Canonical. */
  address: string;
  port: number;
}

/**
 * Decides whether anything may be said to what was reached; nothing has been sent by then.
 * @throws SshError to refuse it; whatever else it throws is passed on as it is
 */
export type Admission = (reached: Reached) => Promise<void>;

/**
 * Opens a TCP connection that goes no further unless it is admitted.
 * @throws SshError
 */
export async function openAdmittedSocket(
  target: { host: string; port: number },
  options: { timeoutMs: number; signal?: AbortSignal; admit?: Admission },
): Promise<OpenedSocket & { reached: Reached }> {
  const { socket, latencyMs } = await openSocket(target, options);
  // An 'error' that nobody hears ends the process; whoever takes the socket has listeners of its own.
  socket.on('error', () => undefined);
  const { port } = target;
  try {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) throw lostWhile('connect', target, options);
    const reached = { address: canonicalAddress(remoteAddress), port };
    await options.admit?.(reached);
    if (socket.destroyed || options.signal?.aborted) throw lostWhile('handshake', target, options);
    return { socket, latencyMs, reached };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const lostWhile = (
  phase: 'connect' | 'handshake',
  { host, port }: { host: string; port: number },
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): SshError =>
  classifySshFailure({ level: 'client-socket' }, { host, port, phase, timeoutMs, aborted: signal?.aborted });

/**
 * Opens a TCP connection without Nagle's delay, which holds back the small packets that SSH consists of.
 *
 * @throws SshError
 */
function openSocket(
  { host, port }: { host: string; port: number },
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<OpenedSocket> {
  const fault = hostAddressFault(host) ?? zoneFault(host);
  if (fault !== null) {
    const text = `Runward does not connect to ${endpointOf({ host, port })}: ${fault}. Change the server.`;
    return Promise.reject(new SshError('address_not_allowed', text));
  }
  const failure = (raw: unknown): SshError =>
    classifySshFailure(raw, { host, port, phase: 'connect', timeoutMs, aborted: signal?.aborted });
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(failure(signal.reason));
      return;
    }
    const socket = net.connect({
      host,
      port,
      noDelay: true,
      autoSelectFamilyAttemptTimeout: Math.max(10, Math.min(NEXT_ADDRESS_AFTER_MS, timeoutMs / 2)),
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
        resolve({ socket, latencyMs: Math.round(performance.now() - attemptedAt) });
      });
    const deadline = deadlineIn(timeoutMs, () => fail({ code: 'ETIMEDOUT' }));
    signal?.addEventListener('abort', onAbort, { once: true });
    // 'error' keeps its listener after a failure: an aborted attempt may still report one
    socket.on('error', fail);
    socket.once('connect', onConnect);
  });
}

/** An interface that there is not would count for none: the machine itself may answer then. */
function zoneFault(host: string): string | null {
  const zone = zoneOf(host);
  if (zone === null || Object.hasOwn(os.networkInterfaces(), zone)) return null;
  return `the machine that Runward runs on has no network interface ${zone}`;
}
