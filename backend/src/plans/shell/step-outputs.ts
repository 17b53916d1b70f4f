import { MAX_OUTPUTS_BYTES } from './environment-script.js';

const MAX_VALUE_BYTES = 8192;
const MAX_PROBLEMS = 20;

export interface StepOutputs {
  /** Last value of each output, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** Rejected lines with reasons, but without any values. */
  readonly problems: readonly string[];
}

export function readStepOutputs(content: Buffer, declared: readonly string[]): StepOutputs {
  const values = new Map<string, string>();
  const problems: string[] = [];
  const lines = content.toString('utf8').split('\n');
  if (content.length >= MAX_OUTPUTS_BYTES && lines.at(-1) !== '') {
    lines.pop();
    problems.push(`The outputs have more than ${MAX_OUTPUTS_BYTES / 1024} KiB. Only the lines before that were read.`);
  }
  lines.forEach((written, index) => {
    const line = written.replace(/\r+$/, '');
    if (line === '') return;
    const fault = readOutputLine(line, declared, values);
    if (fault !== null) problems.push(`Line ${index + 1} of the outputs ${fault}`);
  });
  return { values: Object.fromEntries(values), problems: problems.slice(0, MAX_PROBLEMS) };
}

function readOutputLine(line: string, declared: readonly string[], values: Map<string, string>): string | null {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(line) ?? [];
  if (name === undefined || value === undefined) return 'is not of the form name=value.';
  if (!declared.includes(name))
    return `sets ${/^\w{1,64}$/.test(name) ? `"${name}"` : 'a name'}, which the step does not declare among its outputs.`;
  // A rejected value also removes the earlier value of this name.
  values.delete(name);
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `gives "${name}" more than ${MAX_VALUE_BYTES / 1024} KiB.`;
  if (value.includes('\0') || value.includes('\ufffd')) return `gives "${name}" a NUL or invalid UTF-8.`;
  values.set(name, value);
  return null;
}
