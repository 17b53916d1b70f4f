import type { RunStep } from '../../record/run-content.js';
import { selectScopeFacts } from '../../scopes/scope-facts.js';
import type { WritingStep } from '../../../plans/steps/types/step-types.js';
import { composeScript } from '../../../plans/shell/environment-script.js';
import { scheduleDeadline } from '../../../transport/listening-time.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import type { RunHost, RunContext } from '../connections/run-context.js';
import {
  MAX_PRESENT_BYTES,
  type PresentFile,
  renderPresentFileCommand,
  parsePresentFile,
} from '../../steps/shell/present-file.js';
import { renderFileDifference, DIFF_LABELS } from '../../steps/file-difference.js';
import { getWritingStepType } from '../../steps/types/run-step-types.js';
import { renderStepPath } from '../../steps/types/written-file.js';
import { factsOf, type InheritedStepFacts } from './render-forecast.js';
import { toBlockedPrediction, type Prediction } from '../../steps/types/prediction.js';
import { predictByFileState } from './predict.js';

const READ_TIMEOUT_MS = 30_000;
const GRACE_MS = 2_000;
const HIDDEN_DIFF_TEXT = 'The environment is protected, so the lines that differ are not shown without an approval.';

/** Predicts what a template or file step would do to its file on a host. Only reads the file. */
export async function previewFile(
  connection: SshConnection,
  written: WritingStep & Pick<RunStep, 'scope'>,
  host: RunHost,
  { valuesOf, redactor, ...run }: Pick<RunContext, 'steps' | 'callOutputs' | 'valuesOf' | 'redactor'>,
  isProtected: boolean,
  taken: InheritedStepFacts = {},
): Promise<{ prediction: Prediction; diff: string | null }> {
  const facts = factsOf(host, selectScopeFacts(run, written.scope?.prefix ?? '', taken));
  const { sources } = valuesOf(host, written.scope?.values ?? null);
  const step = await renderStepPath(written, sources, facts);
  const present = await readPresent(connection, step);
  if (typeof present === 'string') return { prediction: toBlockedPrediction('file_not_read', present), diff: null };
  if (present.state === 'blocked')
    return { prediction: toBlockedPrediction('file_not_possible', present.message), diff: null };
  const content = await getWritingStepType(step).renderContent(step, sources, 'shown', facts);
  if (present.state === 'present' && isSameFile(present, content, step))
    return { prediction: predictByFileState(step.path, 'same'), diff: null };
  const found = present.state === 'present' ? 'differs' : 'absent';
  // In a protected environment, files on hosts are not read without approval, neither as a user nor as root.
  const prediction = predictByFileState(step.path, found);
  if (isProtected)
    return { prediction: { ...prediction, reason: `${prediction.reason} ${HIDDEN_DIFF_TEXT}` }, diff: null };
  const before = present.state === 'present' ? present.content : Buffer.alloc(0);
  const labels = DIFF_LABELS;
  return { prediction, diff: await renderFileDifference(step, sources, facts, { before, redactor, labels }) };
}

function isSameFile(
  present: Extract<PresentFile, { state: 'present' }>,
  content: string | Buffer,
  step: WritingStep,
): boolean {
  const { mode, owner, group } = step;
  if (present.cut || !present.content.equals(Buffer.from(content))) return false;
  const { uid, gid, user, group: its } = present;
  if (owner !== null && owner !== String(uid) && owner !== user) return false;
  if (group !== null && group !== String(gid) && group !== its) return false;
  return mode === null || Number.parseInt(mode, 8) === Number.parseInt(present.mode, 8);
}

async function readPresent(connection: SshConnection, step: WritingStep): Promise<PresentFile | string> {
  const pieces: Buffer[] = [];
  let remaining = MAX_PRESENT_BYTES + 1024;
  let started = false;
  const command = await connection.exec({
    script: composeScript({
      command: renderPresentFileCommand(step.path),
      exports: [],
      ...(step.become === null ? {} : { become: step.become }),
    }),
    onStarted: () => {
      started = true;
    },
    onOutput: (stream, bytes) => {
      if (!started || stream !== 'stdout' || remaining <= 0) return;
      pieces.push(Buffer.from(bytes.subarray(0, remaining)));
      remaining -= bytes.length;
    },
  });
  const deadline = scheduleDeadline(READ_TIMEOUT_MS, () => void command.terminate(GRACE_MS).catch(() => undefined));
  const result = await command.result.finally(() => deadline.cancel());
  if (result.kind !== 'exited') return 'message' in result ? result.message : 'The file could not be read in time.';
  return parsePresentFile(step.path, result.exitCode, Buffer.concat(pieces)) ?? `${step.path} could not be read.`;
}
