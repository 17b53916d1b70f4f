import { MAX_PLANS } from '../../code/bounds.ts';
import {
  type ConvertedText,
  type Fields,
  isFields,
  type ReadText,
  type TextFault,
  type YamlTree,
} from '../../code/plan-text.ts';
import { sortCalledFirst } from './convert-call.ts';
import { convertJob, START_PLACE } from './convert-job.ts';
import { listKnownJobs } from './known-jobs.ts';
import { Notes, toText } from './notes.ts';

export function convertJobs({ value, places }: ReadText): ConvertedText<Fields> {
  const notes = new Notes();
  const list = Array.isArray(value) ? value : isFields(value) ? [value] : [];
  const jobs = list.map((job, index): [YamlTree, string] => [job, Array.isArray(value) ? `/${index}` : '']);
  const refusal = findRefusal(jobs, places);
  if (refusal) return { plans: [], notCarried: [], moreNotCarried: 0, faults: [refusal] };
  const known = listKnownJobs(jobs.map(([job]) => job as Fields));
  const plans = jobs.map(([job, path], index) => convertJob(job as Fields, path, { places, notes, known, index }));
  return { plans: sortCalledFirst(plans), notCarried: notes.listed, moreNotCarried: notes.more, faults: [] };
}

function findRefusal(jobs: readonly [YamlTree, string][], places: ReadText['places']): TextFault | null {
  const at = (path: string) => places[path] ?? START_PLACE;
  if (jobs.length === 0)
    return {
      code: 'wrong_type',
      path: '',
      place: START_PLACE,
      message: 'Send a list of jobs, as Rundeck exports them.',
    };
  if (jobs.length > MAX_PLANS)
    return {
      code: 'too_large',
      path: '',
      place: START_PLACE,
      message: `A text can have at most ${MAX_PLANS} jobs. Split it.`,
    };
  const odd = jobs.find(([job]) => !isFields(job) || toText(job.name) === null || !isFields(job.sequence));
  if (!odd) return null;
  const message = 'This is not a job of Rundeck: a job has a "name" and a "sequence".';
  return { code: 'wrong_type', path: odd[1], place: at(odd[1]), message };
}
