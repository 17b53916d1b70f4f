import net from 'node:net';
import { deadlineIn } from './listening-time.js';
import { classifySshFailure, type SshError } from './ssh-errors.js';

/** A host name with several addresses: how long each is tried before the next one. Node's own 250 ms is less than a slow line needs. */
const NEXT_ADDRESS_AFTER_MS = 1500;

/**
 * Opens a TCP connection without Nagle's delay, which holds back the small packets that SSH consists of.
 *
 * @throws SshError
 */
export function openSocket(
  { host, port }: { host: string; port: number },
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<net.Socket> {
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
        resolve(socket);
      });
    const deadline = deadlineIn(timeoutMs, () => fail({ code: 'ETIMEDOUT' }));
    signal?.addEventListener('abort', onAbort, { once: true });
    // 'error' keeps its listener after a failure: an aborted attempt may still report one
    socket.on('error', fail);
    socket.once('connect', onConnect);
  });
}
