import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Client } from 'ssh2';
import { findChannelFault } from '../ssh2/channel-window.js';
import { scheduleDeadline, createDeadlineSignal, getListeningTimeMs } from '../listening-time.js';
import { formatEndpoint, quoteForeignText } from '../ssh-errors.js';

/**
 * Either a TCP port of the host, at its registered address or its loopback, or an http(s) URL that the host resolves.
 */
export type ProbeTarget = { port: number } | { url: string };

export interface ProbeOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

/** `at`: address at which the port accepted a connection; null for a URL. */
export type ProbeResult = { answered: true; at: string | null } | { answered: false; message: string };

interface ProbeHost {
  client: Client;
  host: string;
  port: number;
  isOpen(): boolean;
}

const ATTEMPT_PAUSE_MS = 1_000;
const MAX_ATTEMPT_MS = 10_000;
/** Reason code of RFC 4254: the host forbids forwarding, so retries are useless. */
const ADMINISTRATIVELY_PROHIBITED_CODE = 1;
const LOOPBACK_ADDRESS = '127.0.0.1';

/** Error after which retries are useless. */
class PermanentProbeError extends Error {}

/**
 * Tries from the host, about once per second, until the target answers. A port answers when it accepts a connection, a
 * URL when its status is below 500. Does not follow redirects. Verifies certificates. Never rejects.
 */
export async function probeFromHost(
  host: ProbeHost,
  target: ProbeTarget,
  { timeoutMs, signal }: ProbeOptions,
): Promise<ProbeResult> {
  const endsAt = getListeningTimeMs() + timeoutMs;
  const deadline = createDeadlineSignal(timeoutMs);
  const given = AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]);
  let reason = 'no answer';
  try {
    const probe = toProbe(target, host);
    while (!given.aborted) {
      const longest = createDeadlineSignal(MAX_ATTEMPT_MS);
      const attempt = AbortSignal.any([given, longest.signal]);
      const nextAt = getListeningTimeMs() + ATTEMPT_PAUSE_MS;
      try {
        return { answered: true, at: await probe.ask(host, attempt) };
      } catch (error) {
        if (error instanceof PermanentProbeError) throw error;
        if (!host.isOpen())
          throw new PermanentProbeError(`The connection to ${formatEndpoint(host)} was lost. Check the host.`);
        if (!given.aborted) reason = quoteForeignText((error as Error).message);
      } finally {
        longest.cancel();
      }
      await pause(Math.min(nextAt, endsAt) - getListeningTimeMs(), given);
    }
    const message = signal?.aborted
      ? `${probe.what} had not answered when the wait was cancelled.`
      : `${probe.what} did not answer on ${probe.where} within ${timeoutMs / 1000} s (last: ${reason}). Check that the service is up, or allow it more time.`;
    return { answered: false, message };
  } catch (error) {
    return { answered: false, message: (error as Error).message };
  } finally {
    deadline.cancel();
  }
}

function pause(ms: number, wakeSignal: AbortSignal): Promise<void> {
  if (wakeSignal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      pauseDeadline.cancel();
      wakeSignal.removeEventListener('abort', done);
      resolve();
    };
    const pauseDeadline = scheduleDeadline(ms, done);
    wakeSignal.addEventListener('abort', done, { once: true });
  });
}

interface PreparedProbe {
  /** Without possible secrets of a URL. */
  what: string;
  where: string;
  ask: (host: ProbeHost, signal: AbortSignal) => Promise<string | null>;
}

/** @throws PermanentProbeError for an invalid target */
function toProbe(target: ProbeTarget, { host: hostname }: ProbeHost): PreparedProbe {
  if ('port' in target) {
    const { port } = target;
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new PermanentProbeError(`${port} is not a TCP port. Use a number from 1 to 65535.`);
    const addresses = [...new Set([hostname, LOOPBACK_ADDRESS])];
    return {
      what: `Port ${port}`,
      where: addresses.map((host) => formatEndpoint({ host, port })).join(' or '),
      ask: (host, signal) => probePort(host, addresses, port, signal),
    };
  }
  const url = URL.canParse(target.url) ? new URL(target.url) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new PermanentProbeError('The URL must begin with http:// or https://.');
  return {
    what: `${url.origin}${url.pathname}`,
    where: hostname,
    ask: (host, signal) => probeUrl(host, url, signal).then(() => null),
  };
}

/**
 * Tries both addresses in parallel, because the service may listen on only one of them and the other may not answer.
 * Returns the first address that accepts a connection.
 */
async function probePort(
  host: ProbeHost,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<string> {
  const tries = addresses.map(async (place) => {
    (await openForwardedStream(host, place, port, signal)).destroy();
    return formatEndpoint({ host: place, port });
  });
  return Promise.any(tries).catch((error: AggregateError) => {
    const [first = error, ...more] = error.errors as Error[];
    throw (
      more.find((fault) => !(fault instanceof PermanentProbeError) && first instanceof PermanentProbeError) ?? first
    );
  });
}

async function probeUrl(host: ProbeHost, url: URL, signal: AbortSignal): Promise<void> {
  const secure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const stream = await openForwardedStream(host, hostname, Number(url.port) || (secure ? 443 : 80), signal);
  try {
    const socket = secure
      ? connectTls({ socket: stream, host: hostname, ...(isIP(hostname) ? {} : { servername: hostname }) })
      : stream;
    const status = await new Promise<number>((resolve, reject) => {
      const request = (secure ? https : http).request(url, {
        createConnection: () => socket,
        headers: { connection: 'close', 'user-agent': 'Runward' },
        signal,
      });
      request.once('response', (response) => {
        response.on('error', () => undefined);
        resolve(response.statusCode ?? 0);
        response.destroy();
      });
      request.on('error', reject);
      request.end();
    });
    if (status >= 500) throw new Error(`it answered with status ${status}`);
  } finally {
    stream.destroy();
  }
}

function openForwardedStream(
  { client, ...at }: ProbeHost,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('no answer in time'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      client.forwardOut('127.0.0.1', 0, host, port, (error: (Error & { reason?: unknown }) | undefined, stream) => {
        signal.removeEventListener('abort', onAbort);
        if (error) {
          reject(
            error.reason === ADMINISTRATIVELY_PROHIBITED_CODE
              ? new PermanentProbeError(toForwardingForbiddenMessage(at, host, port))
              : error,
          );
          return;
        }
        stream.on('error', () => undefined); // prevents an unhandled 'error'; users of the stream still see its end
        const fault = findChannelFault(stream);
        if (fault !== null) reject(new PermanentProbeError(`${formatEndpoint(at)} cannot be queried: ${fault}.`));
        else if (!signal.aborted) return resolve(stream);
        stream.destroy();
      });
    } catch (error) {
      signal.removeEventListener('abort', onAbort);
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

const toForwardingForbiddenMessage = (at: { host: string; port: number }, host: string, port: number) =>
  `${formatEndpoint(at)} does not let the login user open connections from it. Set "AllowTcpForwarding local" in its sshd_config (and "PermitOpen ${isIP(host) === 6 ? `[${host}]` : host}:${port}" where that is restricted), or wait with a command step instead.`;
