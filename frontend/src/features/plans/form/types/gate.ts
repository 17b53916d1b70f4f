import type { FormStepType } from './step-type';

interface GateRow {
  message: string;
  placeholder: boolean;
}

export const GATE: FormStepType<GateRow> = {
  label: 'Gate: wait for a decision',
  runs: 'pause',
  process: null,
  blank: { message: '', placeholder: false },
  read: ({ message, placeholder }) => ({ message: message ?? '', placeholder: placeholder ?? false }),
  write: ({ message, placeholder }) => ({ message, ...(placeholder ? { placeholder: true } : {}) }),
  fields: [
    {
      name: 'message',
      kind: 'lines',
      label: 'Message',
      description: 'Question for the member who opens the gate.',
      required: true,
      minRows: 2,
      maxRows: 8,
    },
    {
      name: 'placeholder',
      kind: 'flag',
      label: 'Placeholder',
      description: 'The plan is incomplete here. Blocks dry runs, and no rerun can start after this step.',
    },
  ],
  commands: () => [],
  texts: () => [],
  outputs: () => [],
  summary: ({ message }) => message ?? '',
};
