import { BLANK_START, readStart, type StartRow, writeStart } from './program';
import type { FormStepType } from './step-type';
import { BLANK_WRITTEN_FILE, readWrittenFile, type WrittenFileRow, writeWrittenFile } from './written-file';

interface TemplateRow extends WrittenFileRow, StartRow {
  templateId: string;
  validate: string;
}

export const TEMPLATE: FormStepType<TemplateRow> = {
  label: 'Config file from a template',
  runs: 'hosts',
  process: 'user',
  blank: { ...BLANK_WRITTEN_FILE, ...BLANK_START, templateId: '', validate: '' },
  read: (step) => ({
    ...readWrittenFile(step),
    ...readStart(step),
    templateId: step.templateId ?? '',
    validate: step.validate ?? '',
  }),
  write: (row) => ({
    templateId: row.templateId,
    ...writeWrittenFile(row, { validate: row.validate }),
    ...writeStart(row),
  }),
  commands: ({ unless, validate }) => [unless, validate],
  texts: ({ path }) => [path],
  outputs: () => [],
  summary: ({ path }) => `to ${path}`,
};
