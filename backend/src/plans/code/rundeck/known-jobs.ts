import { optionsOf } from './convert-options.ts';
import { selectorOf } from './node-filter.ts';
import { type Fields, isFields, type KnownJob, textOf } from './notes.ts';

const MAX_NAME_LENGTH = 100;

export function knownJobs(jobs: readonly Fields[]): KnownJob[] {
  const taken = new Set<string>();
  return jobs.map((job) => ({
    name: (textOf(job.name) ?? '').trim(),
    group: textOf(job.group),
    ids: [textOf(job.uuid), textOf(job.id)].filter((id) => id !== null),
    plan: nameOf(job, taken),
    options: new Map(optionsOf(job.options, '').map(({ name, variable }) => [name, variable])),
    targets: (isFields(job.nodefilters) && selectorOf(job.nodefilters)) || '',
  }));
}

/** Returns the name of the job. If another job of the text has the same name, adds the group. */
function nameOf(job: Fields, taken: Set<string>): string {
  const own = (textOf(job.name) ?? '').trim();
  const group = textOf(job.group);
  let name = own.slice(0, MAX_NAME_LENGTH);
  if (taken.has(name.toLowerCase()) && group !== null) name = `${group}/${own}`.slice(-MAX_NAME_LENGTH);
  for (let number = 2; taken.has(name.toLowerCase()); number += 1)
    name = `${own.slice(0, MAX_NAME_LENGTH - 5)} ${number}`;
  taken.add(name.toLowerCase());
  return name;
}
