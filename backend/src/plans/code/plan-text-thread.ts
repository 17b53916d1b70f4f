import type { PlanTextAnswer, PlanTextTask } from './plan-text.ts';
import { readYaml } from './read-yaml.ts';
import { convertJobs } from './rundeck/convert-jobs.ts';
import { foreignText, foreignTree, type Foreign } from './foreign-text.ts';
import type { ReadText, Reading } from './plan-text.ts';
import { writeYaml } from './write-yaml.ts';

/** Reads and writes texts of plans. Never throws for what a text holds: that is a fault. */
export default function work(task: PlanTextTask): PlanTextAnswer {
  switch (task.does) {
    case 'read':
      return readOwn(task.text, 'plan');
    case 'write':
      return task.texts.map(writeYaml);
    case 'convert':
      return convertJobs(readOwn(task.text, 'texts'));
  }
}

/** A text of another product is named as what it is, in the place of faults that it has by chance. */
function readOwn(text: string, reading: Reading): ReadText {
  const refused = ({ code, message }: Foreign): ReadText => {
    const place = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    return { value: null, places: {}, comments: false, faults: [{ code, message, path: '', place }] };
  };
  const foreign = foreignText(text);
  if (foreign) return refused(foreign);
  const read = readYaml(text, reading);
  const other = read.faults.length > 0 ? null : foreignTree(read.value, reading);
  return other ? refused(other) : read;
}
