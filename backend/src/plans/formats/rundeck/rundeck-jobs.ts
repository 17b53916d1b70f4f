import type { PlanFormat } from '../../code/plan-format.ts';
import { convertJobs } from './convert-jobs.ts';
import { repairPlan } from './repair-plan.ts';

/** Job definitions as Rundeck exports them. */
export const RUNDECK_JOBS = {
  name: 'rundeck',
  label: 'Jobs of Rundeck in YAML or JSON',
  meaning: 'a text of Rundeck jobs',
  clues: [
    // XML cannot be imported, but the server reports this.
    /^\s*(?:<[?!][^>]*>\s*)*<job(?:list)?[\s>]/,
    /^\s*(?:- +)?["']?(?:sequence|nodefilters|loglevel)["']?\s*:/m,
    /"(?:sequence|nodefilters|loglevel)"\s*:/,
  ],
  reading: 'texts',
  matches: (first) => Object.hasOwn(first, 'sequence') && Object.hasOwn(first, 'name'),
  findXmlFault: (root) =>
    root === 'joblist' || root === 'job'
      ? {
          code: 'rundeck_xml',
          message:
            'This is Rundeck\'s XML. Export the jobs as YAML or JSON (rd jobs list -F yaml -f jobs.yaml) and import that, with the format "rundeck".',
        }
      : null,
  convert: convertJobs,
  foreign: { noun: 'Rundeck jobs', repair: repairPlan },
} as const satisfies PlanFormat;
