/** Worker thread for texts of plans that are too expensive for the event loop. Node.js loads this file directly. */
import { CommandTemplateError } from './render-command.ts';
import { evaluateText, type TextResult, type TextTask } from './text-task.ts';
import { TooMuchWorkError, WorkMeter } from './work-meter.ts';

export interface TextAnswer {
  readonly operations: number;
  readonly outcome: { readonly result: TextResult } | { readonly fault: { code: string; message: string } };
}

/** Time after which a job starts no further text, in ms. Other tenants wait for the thread. */
const JOB_MS = 250;

/** Answers in the order of the tasks. Answers to the last tasks may be missing. */
export default function answerTasks(tasks: readonly TextTask[]): TextAnswer[] {
  const answers: TextAnswer[] = [];
  const end = performance.now() + JOB_MS;
  for (const task of tasks) {
    if (answers.length > 0 && performance.now() > end) break;
    const meter = new WorkMeter();
    const outcome = evaluateTask(task, meter);
    answers.push({ operations: Math.ceil(meter.operations), outcome });
  }
  return answers;
}

function evaluateTask(task: TextTask, meter: WorkMeter): TextAnswer['outcome'] {
  try {
    return { result: evaluateText(task, meter) };
  } catch (error) {
    if (error instanceof TooMuchWorkError) return { fault: { code: 'too_much', message: tooMuchText(error.limit) } };
    if (error instanceof CommandTemplateError) return { fault: { code: error.code, message: error.message } };
    throw error;
  }
}

const tooMuchText = (limit: number): string =>
  `Rendering this text takes more than ${limit.toLocaleString('en')} operations. Shorten its loops, or let a script do the work on the host.`;
