import type { CommandRequest } from '../../src/transport/remote-command.js';
import type { SshConnection } from '../../src/transport/connection/ssh-connection.js';

/** What Runward knows about a start, after reading the host journal if necessary. */
export interface ReportedStart {
  word: 'started' | 'not started' | 'unknown';
  why: string;
}

export async function reportedStart(
  connection: SshConnection,
  request: Omit<CommandRequest, 'onOutput'>,
  again: () => Promise<SshConnection> = () => Promise.resolve(connection),
): Promise<ReportedStart> {
  const onOutput = () => undefined;
  const command = await connection.exec({ ...request, onOutput });
  const result = await command.result;
  if (result.kind === 'exited' || result.kind === 'signalled') return { word: 'started', why: result.kind };
  if (result.kind === 'refused') return { word: 'not started', why: result.message };
  if (result.started) return { word: 'started', why: result.message };
  if (!result.journaled || !request.journal) return { word: 'unknown', why: result.message };
  const attached = await (await again()).attach({ journal: request.journal, ifAbsent: 'void', onOutput });
  if (attached.kind === 'never_started') return { word: 'not started', why: result.message };
  if (attached.kind !== 'attached')
    return { word: 'unknown', why: 'message' in attached ? attached.message : attached.kind };
  await attached.command.result;
  return { word: 'started', why: 'attached' };
}
