import type { CommandHost } from './channel-command.js';
import { openCommand } from './start-command.js';
import { toAbsentAttachResult } from '../journal/journal-answers.js';
import { buildAttachInput } from '../journal/journal-attach.js';
import { findJournalEntryFault } from '../journal/journal-shell.js';
import type { AttachResult, AttachRequest, CommandResult, OutputStream } from '../remote-command.js';

/** Never rejects. */
export async function attachCommand(host: CommandHost, request: AttachRequest): Promise<AttachResult> {
  const { journal, ifAbsent, onOutput } = request;
  const fault = findJournalEntryFault(journal);
  if (fault) return { kind: 'failed', message: fault };
  const taken: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
  try {
    const command = await openCommand(host, {
      mode: 'attach',
      dispatchId: journal.dispatchId,
      become: request.become,
      input: (nonce) => buildAttachInput(nonce, { journal, ifAbsent }),
      onStarted: request.onStarted?.bind(request),
      onOutput: (stream, bytes) => {
        taken[stream] += bytes.length;
        return onOutput(stream, bytes);
      },
      signal: request.signal,
      execTimeoutMs: request.execTimeoutMs,
    });
    if (!(await command.started)) {
      if (command.refusal !== undefined) return toAbsentAttachResult(command.refusal, command.refusalDetail);
      const result = await command.result;
      return { kind: 'failed', message: 'message' in result ? result.message : 'The host did not answer.' };
    }
    const cut = (result: CommandResult): CommandResult =>
      result.kind === 'exited' && Math.max(taken.stdout, taken.stderr) >= journal.spoolBytes
        ? { ...result, outputCut: true }
        : result;
    const result = command.result.then(cut);
    result.catch(() => undefined);
    const attachedCommand = {
      pid: command.pid,
      journaled: true,
      get hasExited() {
        return command.hasExited;
      },
      started: command.started,
      result,
      terminate: command.terminate.bind(command),
    };
    return { kind: 'attached', command: attachedCommand };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
