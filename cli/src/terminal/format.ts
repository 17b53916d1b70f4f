import type { Option } from 'commander';
import { usage } from './failure.ts';

export const OUTPUT_FORMATS = ['table', 'wide', 'name', 'json', 'yaml'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface FormatOptions {
  json?: boolean;
  jq?: string;
  /** Format of lists and records. In some other commands, `--output` is a file. */
  resultFormat?: OutputFormat;
}

/** @throws Failure for options that contradict each other */
export function chooseFormat({ json, jq, resultFormat: format }: FormatOptions): OutputFormat {
  if (jq !== undefined && format !== undefined && format !== 'json')
    throw usage(`--jq prints JSON and cannot be combined with -o ${format}.`);
  if (json && format !== undefined && format !== 'json') throw usage(`--json cannot be combined with -o ${format}.`);
  return json || jq !== undefined ? 'json' : (format ?? 'table');
}

/** Stores the value of `-o, --output` as `resultFormat`. */
export const storeAsFormat = (option: Option): Option => {
  option.attributeName = () => 'resultFormat';
  return option;
};

/** Whether an unparsed command line requests JSON or YAML, so that its parse errors are JSON too. */
export function requestsStructure(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = args.slice(0, end < 0 ? undefined : end);
  if (options.some((each) => each === '--json' || /^--jq(?:=|$)/.test(each))) return true;
  if (['output', 'export'].includes(args[1] ?? '')) return false;
  return options.some((each, index) =>
    /^(?:-o|--output)$/.test(each)
      ? /^(?:json|yaml)$/.test(options[index + 1] ?? '')
      : /^(?:-o|-o=|--output=)(?:json|yaml)$/.test(each),
  );
}
