import { type Fields, isFields } from '../../code/plan-text.ts';
import { readOptions } from './convert-options.ts';
import { toSelector } from './node-filter.ts';
import { type KnownJob, toText } from './notes.ts';

const MAX_NAME_LENGTH = 100;

export function listKnownJobs(jobs: readonly Fields[]): KnownJob[] {
  const taken = new Set<string>();
  return jobs.map((job) => ({
    name: (toText(job.name) ?? '').trim(),
    group: toText(job.group),
    ids: [toText(job.uuid), toText(job.id)].filter((id) => id !== null),
    plan: toPlanName(job, taken),
    options: new Map(readOptions(job.options, '').map(({ name, variable }) => [name, variable])),
    targets: (isFields(job.nodefilters) && toSelector(job.nodefilters)) || '',
  }));
}

/** Returns the name of the job. If another job of the text has the same name, adds the group. */
function toPlanName(job: Fields, taken: Set<string>): string {
  const own = (toText(job.name) ?? '').trim();
  const group = toText(job.group);
  let name = own.slice(0, MAX_NAME_LENGTH);
  if (taken.has(name.toLowerCase()) && group !== null) name = `${group}/${own}`.slice(-MAX_NAME_LENGTH);
  for (let number = 2; taken.has(name.toLowerCase()); number += 1)
    name = `${own.slice(0, MAX_NAME_LENGTH - 5)} ${number}`;
  taken.add(name.toLowerCase());
  return name;
}
