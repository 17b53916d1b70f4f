import { type Fields, isFields } from '../../code/plan-text.ts';
import { hasValue, isTrue, type JobContext, addNote, toText } from './notes.ts';
import { toSelector } from './node-filter.ts';

export interface JobTargets {
  readonly targets: string;
  /** Hosts per batch; null: the steps ran on the Rundeck server itself. */
  readonly batch: number | null;
  /** Question for a gate before the first step, if the hosts could differ from those of the job; null: none. */
  readonly gate: string | null;
  readonly continuesOnFailure: boolean;
}

const FILTER_FIELDS = ['filter', 'filterExclude', 'include', 'exclude'];
const DISPATCH_FIELDS: Readonly<Record<string, string | null>> = {
  threadcount: null,
  keepgoing: null,
  excludePrecedence: null,
  rankAttribute: 'Hosts run in the order of their names.',
  rankOrder: 'Hosts run in the order of their names.',
  successOnEmptyNodeFilter: 'A run without hosts is refused.',
};

export function readJobTargets(job: Fields, path: string, context: JobContext): JobTargets {
  const filters = isFields(job.nodefilters) ? job.nodefilters : null;
  const isLocal = job.doNodedispatch === false || job.doNodedispatch === 'false';
  // The called jobs determine the hosts.
  if (!filters && hasOnlyCalls(job)) return { targets: '', batch: null, gate: null, continuesOnFailure: false };
  if (!filters || isLocal || !FILTER_FIELDS.some((field) => hasValue(filters[field]))) {
    const reason = 'The job ran on the Rundeck server itself: choose the targets of the plan.';
    addNote(context, path, null, 'node filter', reason);
    const gate = 'This job ran on the Rundeck server itself. Choose the targets of the plan, then remove this step.';
    return { targets: '', batch: null, gate, continuesOnFailure: false };
  }
  const dispatch = isFields(filters.dispatch) ? filters.dispatch : {};
  const at = `${path}/nodefilters/dispatch`;
  const threads = Number(toText(dispatch.threadcount) ?? '1');
  const batch = Number.isInteger(threads) && threads >= 1 && threads <= 1000 ? threads : 1;
  if (String(batch) !== (toText(dispatch.threadcount) ?? '1').trim())
    addNote(context, at, null, 'threadcount', 'It is not a number from 1 to 1000, so one host runs at a time.');
  for (const [field, value] of Object.entries(dispatch)) {
    const reason = field in DISPATCH_FIELDS ? DISPATCH_FIELDS[field] : 'A plan has no such setting.';
    if (typeof reason === 'string' && hasValue(value) && value !== false)
      addNote(context, `${at}/${field}`, null, field, reason);
  }
  const continuesOnFailure = isTrue(dispatch.keepgoing);
  const targets = toSelector(filters);
  if (targets !== null) return { targets, batch, gate: null, continuesOnFailure };
  const said = (toText(filters.filter) ?? 'include and exclude').slice(0, 500);
  const reason = 'It cannot be expressed as a selector. Choose the targets of the plan.';
  addNote(context, `${path}/nodefilters`, null, 'node filter', reason);
  const gate = `The node filter of the job was not carried over: ${said}. Choose the targets of the plan, then remove this step.`;
  return { targets: '', batch, gate, continuesOnFailure };
}

export function hasOnlyCalls({ sequence }: Fields): boolean {
  const commands = isFields(sequence) && Array.isArray(sequence.commands) ? sequence.commands : [];
  return commands.length > 0 && commands.every((step) => isFields(step) && isFields(step.jobref));
}
