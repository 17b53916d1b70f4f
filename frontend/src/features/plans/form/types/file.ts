import { BLANK_START, readStart, type StartRow, writeStart } from './program';
import type { FormStepType } from './step-type';
import { BLANK_WRITTEN_FILE, readWrittenFile, type WrittenFileRow, writeWrittenFile } from './written-file';

interface FileRow extends WrittenFileRow, StartRow {
  gitSourceId: string;
  sourcePath: string;
  /** Empty: the branch of the source. */
  ref: string;
}

export const FILE: FormStepType<FileRow> = {
  label: 'File from a git source',
  runs: 'hosts',
  process: 'user',
  blank: { ...BLANK_WRITTEN_FILE, ...BLANK_START, gitSourceId: '', sourcePath: '', ref: '' },
  read: (step) => ({
    ...readWrittenFile(step),
    ...readStart(step),
    gitSourceId: step.gitSourceId ?? '',
    sourcePath: step.sourcePath ?? '',
    ref: step.ref ?? '',
  }),
  write: (row) => ({
    gitSourceId: row.gitSourceId,
    sourcePath: row.sourcePath.trim(),
    ...writeWrittenFile(row, { ref: row.ref }),
    ...writeStart(row),
  }),
  commands: ({ unless }) => [unless],
  texts: ({ path }) => [path],
  outputs: () => [],
  summary: ({ sourcePath, path }) => `${sourcePath} to ${path}`,
};
