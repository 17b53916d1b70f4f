import { randomBytes } from 'node:crypto';
import { ChannelCommand, type ChannelRequest, type CommandHost } from './channel-command.js';
import { openExecChannel } from './exec-channel.js';
import { ResidentShell } from './resident-shell.js';
import { findJournalEntryFault } from '../journal/journal-shell.js';
import { JOURNAL_START_COMMAND, buildJournalInput, LAUNCHER_MARK } from '../journal/journal-start.js';
import { BOOTSTRAP_COMMAND, buildBootstrapInput } from '../journal/start-acknowledgement.js';
import { getListeningTimeMs } from '../listening-time.js';
import type { CommandRequest, JournalEntry, RunningCommand } from '../remote-command.js';
import { formatEndpoint, SshError } from '../ssh-errors.js';

const EXEC_TIMEOUT_MS = 20_000;
const END_SHELL_TIMEOUT_MS = 10_000;

/** Never rejects: a refusal is a result. */
export async function startCommand(host: CommandHost, request: CommandRequest): Promise<RunningCommand> {
  const { script, journal } = request;
  if (script.includes('\0')) return refusedCommand('The script contains a NUL character, which shells do not support.');
  const fault = journal && findJournalEntryFault(journal);
  if (fault) return refusedCommand(fault);
  try {
    if (journal) return await startWithJournal(host, { ...request, journal });
    return await openCommand(host, { ...request, input: (nonce) => buildBootstrapInput(nonce, script), mode: 'plain' });
  } catch (error) {
    return refusedCommand(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Uses the idle shell of the run if there is one, else a new session.
 * @throws SshError if nothing was sent
 */
async function startWithJournal(
  host: CommandHost,
  request: CommandRequest & { journal: JournalEntry },
): Promise<RunningCommand> {
  const { script, journal, signal, execTimeoutMs: timeoutMs = EXEC_TIMEOUT_MS } = request;
  const endsAt = getListeningTimeMs() + timeoutMs;
  if (signal?.aborted)
    throw new SshError('aborted', `The command was cancelled before it was sent to ${formatEndpoint(host)}.`);
  const shell =
    host.shells.takeShellOfRun(journal.folderId) ??
    new ResidentShell(await openExecChannel(host, JOURNAL_START_COMMAND, { timeoutMs, signal }), journal.folderId, {
      free: (shell) => host.shells.keepShell(shell),
      onStuck: (shellId) =>
        void host.runBeside(endLauncherCommand(shellId), END_SHELL_TIMEOUT_MS).catch(() => undefined),
    });
  const nonce = createNonce();
  const input = buildJournalInput(nonce, script, journal);
  const channel = shell.begin(nonce);
  return new ChannelCommand(
    host,
    channel,
    nonce,
    { ...request, input: () => input, mode: 'journal' },
    endsAt - getListeningTimeMs(),
  );
}

const createNonce = () => `runward-${randomBytes(16).toString('hex')}`;

/** @throws SshError if nothing was sent */
export async function openCommand(host: CommandHost, request: ChannelRequest): Promise<ChannelCommand> {
  const timeoutMs = request.execTimeoutMs ?? EXEC_TIMEOUT_MS;
  const endsAt = getListeningTimeMs() + timeoutMs;
  const channel = await openExecChannel(host, BOOTSTRAP_COMMAND, { timeoutMs, signal: request.signal });
  return new ChannelCommand(host, channel, createNonce(), request, endsAt - getListeningTimeMs());
}

function refusedCommand(message: string): RunningCommand {
  return {
    pid: null,
    journaled: false,
    hasExited: false,
    started: Promise.resolve(false),
    result: Promise.resolve({ kind: 'refused', unsent: true, message }),
    terminate: () => Promise.resolve(),
  };
}

/**
 * Returns a shell text that ends the shell which launched a command, but no other process that reuses its ID. Works in
 * any login shell.
 */
const endLauncherCommand = (pid: number): string =>
  `exec /bin/sh -c 'exec 2>/dev/null; x=; read -r x </proc/${pid}/cmdline; ` +
  `case $x in *${LAUNCHER_MARK}*|"") kill -s KILL ${pid};; esac'`;
