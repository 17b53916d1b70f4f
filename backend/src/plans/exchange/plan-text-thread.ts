import type { PlanTextAnswer, PlanTextTask, ReadText, ReadingMode } from '../code/plan-text.ts';
import { readYaml } from '../code/read-yaml.ts';
import { convertJobs } from '../code/rundeck/convert-jobs.ts';
import { findForeignTextFault, findForeignTreeFault, type ForeignFormatFault } from '../code/foreign-text.ts';
import { writeYaml } from '../code/write-yaml.ts';

/**
 * Worker thread that reads and writes texts of plans. Never throws because of a text's content: such errors are faults.
 */
export default function runPlanTextTask(task: PlanTextTask): PlanTextAnswer {
  switch (task.does) {
    case 'read':
      return readPlanText(task.text, 'plan');
    case 'write':
      return task.texts.map(writeYaml);
    case 'convert':
      return convertJobs(readPlanText(task.text, 'texts'));
  }
}

/** A text of another product gets one fault that names the product, instead of accidental faults. */
function readPlanText(text: string, reading: ReadingMode): ReadText {
  const refused = ({ code, message }: ForeignFormatFault): ReadText => {
    const place = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    return { value: null, places: {}, comments: false, faults: [{ code, message, path: '', place }] };
  };
  const foreign = findForeignTextFault(text);
  if (foreign) return refused(foreign);
  const read = readYaml(text, reading);
  const other = read.faults.length > 0 ? null : findForeignTreeFault(read.value, reading);
  return other ? refused(other) : read;
}
