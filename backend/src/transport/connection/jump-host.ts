import { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { scheduleDeadline } from '../listening-time.js';
import { formatEndpoint, SshError, type SshErrorCode } from '../ssh-errors.js';

export interface JumpHost {
  label: string;
  /** @throws SshError `aborted`, or a code of {@link toForwardError} */
  forward(target: Endpoint, limits: ForwardLimits): Promise<Duplex>;
}

interface Endpoint {
  host: string;
  port: number;
}

interface ForwardLimits {
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * Opens a TCP connection from the jump server (RFC 4254, 7.2: `direct-tcpip`).
 * @throws SshError
 */
export async function openSocketThroughJumpHost(
  via: JumpHost,
  target: Endpoint,
  limits: ForwardLimits,
): Promise<{ socket: Duplex; latencyMs: number; remoteAddress: string }> {
  const begun = performance.now();
  const socket = await via.forward(target, limits);
  return { socket, latencyMs: Math.round(performance.now() - begun), remoteAddress: target.host };
}

export function forwardThroughClient(
  client: Client,
  label: string,
  target: Endpoint,
  { timeoutMs, signal }: ForwardLimits,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (act: () => void): void => {
      if (settled) return;
      settled = true;
      deadline.cancel();
      signal?.removeEventListener('abort', onAbort);
      client.removeListener('close', onClose);
      act();
    };
    const fail = (code: SshErrorCode, text: string) => settle(() => reject(new SshError(code, text)));
    const where = formatEndpoint(target);
    const onAbort = () => fail('aborted', `Connecting to ${where} was cancelled on request.`);
    const onClose = () => fail('jump_failed', `The connection to the ${label} was lost.`);
    const deadline = scheduleDeadline(timeoutMs, () =>
      fail('connect_timeout', `${where} did not answer the ${label} within ${timeoutMs / 1000} s.`),
    );
    if (signal?.aborted) return onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    client.once('close', onClose);
    try {
      client.forwardOut('127.0.0.1', 0, target.host, target.port, (error, channel) => {
        // The caller no longer waits for the channel.
        if (settled) return channel?.close();
        settle(() => (error ? reject(toForwardError(error, label, where)) : resolve(new ForwardedStream(channel))));
      });
    } catch {
      onClose();
    }
  });
}

/** Reason codes of a channel open failure (RFC 4254, 5.1). */
const ADMINISTRATIVELY_PROHIBITED_CODE = 1;
const CONNECT_FAILED_CODE = 2;

/**
 * Classifies the jump server's error without quoting its text, because the caller may not be allowed to know the
 * network behind the jump server.
 */
function toForwardError(error: Error & { reason?: unknown }, label: string, where: string): SshError {
  const jump = `The ${label}`;
  if (error.reason === ADMINISTRATIVELY_PROHIBITED_CODE) {
    const text = `${jump} does not open connections to ${where}. Check AllowTcpForwarding and PermitOpen in its sshd_config.`;
    return new SshError('jump_failed', text);
  }
  if (error.reason !== CONNECT_FAILED_CODE) {
    return new SshError(
      'jump_failed',
      `${jump} could not open a connection to ${where}. Check the log of its SSH server.`,
    );
  }
  if (/not known|resolve|no address/i.test(error.message)) {
    return new SshError(
      'host_not_found',
      `${jump} cannot resolve the name of ${where}. Check it in the DNS that the jump server uses.`,
    );
  }
  const refused = /refused/i.test(error.message);
  const code = refused
    ? 'connection_refused'
    : /timed out/i.test(error.message)
      ? 'connect_timeout'
      : 'network_unreachable';
  return new SshError(
    code,
    `${jump} could not reach ${where}${refused ? ': the connection was refused' : ''}. Check that the host is up, that an SSH server listens on this port, and the firewall between the two.`,
  );
}

/**
 * Wraps the channel so that `destroy` ends it immediately. The channel's own `destroy` waits for the jump server, which
 * may be unreachable.
 */
class ForwardedStream extends Duplex {
  constructor(private readonly channel: ClientChannel) {
    super({ allowHalfOpen: true });
    channel.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    channel.on('end', () => this.push(null));
    channel.on('error', (error: Error) => this.destroy(error));
    channel.on('close', () => this.destroy());
    channel.pause();
  }

  override _read(): void {
    this.channel.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.channel.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.channel.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.channel.close();
    done(error);
  }
}
