import dns from 'node:dns';
import net from 'node:net';
import os from 'node:os';
import type { Duplex } from 'node:stream';
import { canonicalAddress, hostAddressFault, zoneOf } from '../../common/network/host-address.js';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { deadlineIn } from '../listening-time.js';
import { classifySshFailure, endpointOf, SshError } from '../ssh-errors.js';
import { type JumpHost, openThrough } from './jump-host.js';
import { PacedSocket } from './paced-socket.js';

/** A host name with several addresses: how long each is tried before the next one. Node's own 250 ms is less than a slow line needs. */
const NEXT_ADDRESS_AFTER_MS = 1500;

interface OpenedSocket {
  socket: Duplex;
  /** How long the connection took to stand, from the attempt at this address on: without the look-up of its name. */
  latencyMs: number;
}

/** Where a connection has come to. */
export interface Reached {
  /** Canonical; behind a jump server the registered one, for only the jump server knows what a name stands for there. */
  address: string;
  port: number;
}

/**
 * Decides whether anything may be said to what was reached; nothing has been sent by then.
 * @throws SshError to refuse it; whatever else it throws is passed on as it is
 */
export type Admission = (reached: Reached) => Promise<void>;

/**
 * How far a connection has come: what the name stands for (several between commas), the address that was reached and let
 * in, the name of the SSH server's software (empty: it can't be shown), and that the host has proved to own its key.
 */
export type Stage = 'resolved' | 'connected' | 'identified' | 'agreed';
export type StageListener = (stage: Stage, detail: string) => void;

/** How a host is reached, and what it is kept from. */
export interface SocketOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  admit?: Admission;
  /** What no connection is made to; unless given, what every installation refuses that says nothing about it. */
  refused?: RefusedAddresses;
  onStage?: StageListener;
  /** Opens the connection instead of this machine. */
  via?: JumpHost;
}

const USUAL = new RefusedAddresses();

/**
 * Opens a TCP connection that goes no further unless it is admitted.
 * @throws SshError
 */
export async function openAdmittedSocket(
  target: { host: string; port: number },
  options: SocketOptions,
): Promise<{ socket: PacedSocket; latencyMs: number; reached: Reached }> {
  const { socket: raw, latencyMs, remoteAddress } = await openSocket(target, options);
  const socket = new PacedSocket(raw);
  // An 'error' that nobody hears ends the process; whoever takes the socket has listeners of its own.
  socket.on('error', () => undefined);
  const { port } = target;
  try {
    if (remoteAddress === undefined) throw lostWhile('connect', target, options);
    const reached = { address: canonicalAddress(remoteAddress), port };
    await options.admit?.(reached);
    if (socket.destroyed || options.signal?.aborted) throw lostWhile('handshake', target, options);
    options.onStage?.('connected', reached.address);
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

type Connected = OpenedSocket & { remoteAddress: string | undefined };

/**
 * Opens a TCP connection without Nagle's delay, which holds back the small packets that SSH consists of.
 *
 * @throws SshError
 */
function openSocket(
  { host, port }: { host: string; port: number },
  { timeoutMs, signal, refused = USUAL, onStage, via }: SocketOptions,
): Promise<Connected> {
  const fault = hostAddressFault(host) ?? (via ? null : zoneFault(host));
  if (fault !== null) {
    const text = `Runward does not connect to ${endpointOf({ host, port })}: ${fault}. Change the server.`;
    return Promise.reject(new SshError('address_not_allowed', text));
  }
  if (refused.includes(host)) return Promise.reject(addressRefused({ host, port }, host));
  if (net.isIP(host) !== 0) onStage?.('resolved', host);
  if (via) return openThrough(via, { host, port }, { timeoutMs, signal });
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
      lookup: lookupUnrefused(port, refused, onStage),
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
        const latencyMs = Math.round(performance.now() - attemptedAt);
        resolve({ socket, latencyMs, remoteAddress: socket.remoteAddress });
      });
    const deadline = deadlineIn(timeoutMs, () => fail({ code: 'ETIMEDOUT' }));
    signal?.addEventListener('abort', onAbort, { once: true });
    // 'error' keeps its listener after a failure: an aborted attempt may still report one
    socket.on('error', fail);
    socket.once('connect', onConnect);
  });
}

/**
 * Resolves a name as usual, without the addresses that are refused: what the name stands for is asked once, so that no
 * other answer can come between the look at it and the connection. An address is connected to without asking.
 */
function lookupUnrefused(port: number, refused: RefusedAddresses, onStage?: StageListener): net.LookupFunction {
  return (host, options, done) =>
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, []);
      const open = found.filter(({ address }) => !refused.includes(address));
      const [first] = open;
      if (!first) return done(addressRefused({ host, port }, found[0]?.address ?? host), []);
      onStage?.('resolved', open.map(({ address }) => address).join(', '));
      return options.all ? done(null, open) : done(null, first.address, first.family);
    });
}

function addressRefused(target: { host: string; port: number }, address: string): SshError {
  const which = address === target.host ? 'this is an address' : `its name resolves to ${address}, an address`;
  const text = `Runward does not connect to ${endpointOf(target)}: ${which} that this installation refuses (RUNWARD_REFUSED_ADDRESSES). Register the server under another address, or ask the operator of this installation to allow this one.`;
  return new SshError('address_refused', text);
}

/** An interface that there is not would count for none: the machine itself may answer then. */
function zoneFault(host: string): string | null {
  const zone = zoneOf(host);
  if (zone === null || Object.hasOwn(os.networkInterfaces(), zone)) return null;
  return `the machine that Runward runs on has no network interface ${zone}`;
}
