import type { PlanTextAnswer, PlanTextTask } from './plan-text.ts';
import { readYaml } from './read-yaml.ts';
import { convertJobs } from './rundeck/convert-jobs.ts';
import { writeYaml } from './write-yaml.ts';

/** Reads and writes texts of plans. Never throws for what a text holds: that is a fault. */
export default function work(task: PlanTextTask): PlanTextAnswer {
  switch (task.does) {
    case 'read':
      return readYaml(task.text, 'plan');
    case 'write':
      return task.texts.map(writeYaml);
    case 'convert':
      return convertJobs(readYaml(task.text, 'texts'));
  }
}
