import type { ConvertedText, ReadText, TextToWrite } from '../code/plan-text.ts';
import { findPlanFormat, type PlanFormatName } from '../formats/plan-formats.ts';
import { readYaml } from '../code/read-yaml.ts';
import { findForeignTextFault, findForeignTreeFault } from '../formats/foreign-text.ts';
import type { ForeignFormatFault, PlanFormat } from '../code/plan-format.ts';
import { writeYaml } from '../code/write-yaml.ts';

export type PlanTextTask =
  | { readonly does: 'read'; readonly text: string }
  | { readonly does: 'write'; readonly texts: readonly TextToWrite[] }
  | { readonly does: 'convert'; readonly format: PlanFormatName; readonly text: string };
export type PlanTextAnswer = ReadText | readonly string[] | ConvertedText;

/**
 * Worker thread that reads and writes texts of plans. Never throws because of a text's content: such errors are faults.
 */
export default function runPlanTextTask(task: PlanTextTask): PlanTextAnswer {
  switch (task.does) {
    case 'read':
      return readPlanText(task.text, findPlanFormat('plan'));
    case 'write':
      return task.texts.map(writeYaml);
    case 'convert':
      return convertPlanText(task.text, findPlanFormat(task.format));
  }
}

function convertPlanText(text: string, format: PlanFormat): ConvertedText {
  const read = readPlanText(text, format);
  const { faults } = read;
  return faults.length > 0 ? { plans: [], notCarried: [], moreNotCarried: 0, faults } : format.convert(read);
}

/** A text of another product gets one fault that names the product, instead of accidental faults. */
function readPlanText(text: string, { name, reading }: PlanFormat): ReadText {
  const refused = ({ code, message }: ForeignFormatFault): ReadText => {
    const place = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    return { value: null, places: {}, comments: false, faults: [{ code, message, path: '', place }] };
  };
  const foreign = findForeignTextFault(text);
  if (foreign) return refused(foreign);
  const read = readYaml(text, reading);
  const other = read.faults.length > 0 ? null : findForeignTreeFault(read.value, name);
  return other ? refused(other) : read;
}
