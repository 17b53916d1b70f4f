import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { createDeadlineSignal, waitAtMost } from '../../../transport/listening-time.js';
import { createEditScript, type FileEdit, MAX_FILE_BYTES, READ_SCRIPT } from './authorized-keys-script.js';
import { createInterruptedFault, createNotEditedFault } from './rotation-fault.js';

/** Time limits in ms to start and to finish a script, which may wait for a lock. */
const START_TIMEOUT_MS = 10_000;
const SCRIPT_TIMEOUT_MS = 30_000;
/** Maximum number of reads if the file is replaced during each read. */
const MAX_READS = 10;
const MAX_HEAD_BYTES = 100;

type ScriptConnection = Pick<SshConnection, 'exec'>;

export interface AuthorizedKeysFile {
  checksum: string;
  bytes: Buffer;
}

/** @returns null if the file does not exist. @throws RotationFault, SshError */
export async function readAuthorizedKeys(connection: ScriptConnection): Promise<AuthorizedKeysFile | null> {
  for (let look = 1; look <= MAX_READS; look += 1) {
    const answer = await runHostScript(connection, READ_SCRIPT);
    const end = answer.indexOf(0x0a);
    const head = answer.subarray(0, Math.max(0, end)).toString('latin1');
    if (head === 'no_file') return null;
    const [, checksum, size] = /^file ([0-9]+ ([0-9]+))$/.exec(head) ?? [];
    if (checksum === undefined) throw createNotEditedFault(head);
    const bytes = answer.subarray(end + 1);
    // If the sizes differ, the file was replaced after its checksum was calculated: read again.
    if (bytes.length === Number(size)) return { checksum, bytes };
  }
  throw createNotEditedFault('changed_meanwhile');
}

/** @returns false if the file has changed since it was read. @throws RotationFault */
export async function editAuthorizedKeys(
  connection: ScriptConnection,
  { checksum }: AuthorizedKeysFile,
  edit: FileEdit,
): Promise<boolean> {
  const answer = (await runHostScript(connection, createEditScript(checksum, edit))).toString('latin1').trim();
  if (answer === 'changed' || answer === 'changed_meanwhile') return answer === 'changed';
  throw createNotEditedFault(answer);
}

/** Runs a script and returns its output, without earlier output of login scripts. */
async function runHostScript(connection: ScriptConnection, script: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  let begun = false;
  const deadline = createDeadlineSignal(SCRIPT_TIMEOUT_MS);
  try {
    const command = await connection.exec({
      script,
      execTimeoutMs: START_TIMEOUT_MS,
      signal: deadline.signal,
      onStarted: () => (begun = true),
      onOutput: (stream, bytes) => {
        if (!begun || stream !== 'stdout' || length > MAX_FILE_BYTES + MAX_HEAD_BYTES) return;
        pieces.push(bytes);
        length += bytes.length;
      },
    });
    const inTime = await waitAtMost(SCRIPT_TIMEOUT_MS, command.result);
    const result = inTime ? await command.result : null;
    if (result?.kind === 'exited' && result.exitCode === 0) return Buffer.concat(pieces);
    throw result?.kind === 'exited' || result?.kind === 'refused' ? createNotEditedFault('') : createInterruptedFault();
  } finally {
    deadline.cancel();
  }
}
