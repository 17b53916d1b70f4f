import type { Client, ClientChannel } from 'ssh2';
import { limitChannelWindow, execWithSmallWindow, findChannelFault } from '../ssh2/channel-window.js';
import { scheduleDeadline, getListeningTimeMs } from '../listening-time.js';
import { formatEndpoint, toExecRefusedMessage, quoteForeignText, SshError } from '../ssh-errors.js';

export interface ExecHost {
  client: Client;
  host: string;
  port: number;
  freeSession?(): Promise<unknown>;
}

interface ExecOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Delay before the retry, in ms. The host counts an ended session until it has processed the close. */
const SESSION_END_WAIT_MS = 100;
const MAX_OUTPUT_LENGTH = 4096;

/**
 * Opens a channel and runs `text` in it. If the host allows no further session (MaxSessions), ends an idle session and
 * retries once.
 *
 * @throws SshError `exec_refused`, `connection_lost` or `aborted`. In these cases, nothing that could start a command
 *   was sent.
 */
export async function openExecChannel(host: ExecHost, text: string, options: ExecOptions): Promise<ClientChannel> {
  const endsAt = getListeningTimeMs() + options.timeoutMs;
  try {
    return await tryOpenExecChannel(host, text, options);
  } catch (error) {
    if (!(error instanceof SshError) || error.code !== 'exec_refused') throw error;
    await host.freeSession?.();
    await new Promise((resolve) => scheduleDeadline(SESSION_END_WAIT_MS, () => resolve(undefined)));
    const timeoutMs = endsAt - getListeningTimeMs();
    if (timeoutMs <= 0) throw error;
    return tryOpenExecChannel(host, text, { ...options, timeoutMs });
  }
}

function tryOpenExecChannel(
  { client, host, port }: ExecHost,
  text: string,
  { timeoutMs, signal }: ExecOptions,
): Promise<ClientChannel> {
  const where = formatEndpoint({ host, port });
  const refused = (reason: string) => new SshError('exec_refused', toExecRefusedMessage({ host, port }, reason));
  return new Promise((resolve, reject) => {
    let waiting = true;
    const settle = (act: () => void) => {
      if (!waiting) return;
      waiting = false;
      deadline.cancel();
      signal?.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = () =>
      settle(() => reject(new SshError('aborted', `The command was cancelled before it was sent to ${where}.`)));
    const deadline = scheduleDeadline(timeoutMs, () => settle(() => reject(refused('no answer in time'))));
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      execWithSmallWindow(client, text, (error, channel) => {
        if (error) {
          settle(() => reject(toExecError(error, where, refused)));
          return;
        }
        limitChannelWindow(client, channel);
        const fault = findChannelFault(channel);
        if (fault !== null) settle(() => reject(refused(fault)));
        else if (waiting) return settle(() => resolve(channel));
        channel.close();
      });
    } catch (error) {
      settle(() => reject(toExecError(error as Error, where, refused)));
    }
  });
}

function toExecError(error: Error, where: string, refused: (reason: string) => SshError): SshError {
  if (/^(Not connected|No response from server)$/.test(error.message)) {
    return new SshError(
      'connection_lost',
      `The connection to ${where} was lost before the command was sent. Check the host and run the step again.`,
    );
  }
  return refused(quoteForeignText(error.message));
}

/**
 * Runs a short text without input.
 *
 * @returns the standard output up to its end, the time limit or a size limit
 * @throws SshError if no session is available
 */
export async function runShortCommand(host: ExecHost, text: string, timeoutMs: number): Promise<string> {
  const endsAt = getListeningTimeMs() + timeoutMs;
  const channel = await openExecChannel(host, text, { timeoutMs });
  return new Promise((resolve) => {
    let output = '';
    const done = () => {
      deadline.cancel();
      channel.close();
      resolve(output);
    };
    const deadline = scheduleDeadline(endsAt - getListeningTimeMs(), done);
    channel.once('close', done);
    channel.on('error', () => undefined);
    channel.on('data', (bytes: Buffer) => {
      if (output.length < MAX_OUTPUT_LENGTH) output += bytes.toString('latin1', 0, MAX_OUTPUT_LENGTH);
    });
    channel.stderr.resume();
    channel.end();
  });
}
