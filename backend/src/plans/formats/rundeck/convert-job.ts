import { type DescribedPlan, type Fields, isFields, type TextPlace, type ReadText } from '../../code/plan-text.ts';
import { convertOption, readOptions } from './convert-options.ts';
import { convertStep } from './convert-steps.ts';
import { toFlowFields, describeSettings } from './job-settings.ts';
import { readJobTargets } from './job-targets.ts';
import { isTrue, type JobContext, type KnownJob, findLine, addNote, type Notes, toText } from './notes.ts';
import { createPlaceholderStep } from './placeholder.ts';

/** A plan has at most 100 steps. Placeholders may be added before and after the steps of the job. */
const MAX_STEPS = 96;
const MAX_DESCRIPTION_CHARACTERS = 2000;
export const START_PLACE: TextPlace = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/** Converts a job to a plan. Parts that would make the plan behave differently become placeholders. */
export function convertJob(
  job: Fields,
  path: string,
  { places, notes, known, index }: { places: ReadText['places']; notes: Notes; known: KnownJob[]; index: number },
): DescribedPlan<Fields> {
  const { plan: name = '', options: own = new Map<string, string>(), targets = '' } = known[index] ?? {};
  const options = readOptions(job.options, `${path}/options`);
  const secrets = options.filter(({ fields }) => isTrue(fields.secure)).map(({ variable }) => variable);
  const context: JobContext = {
    ...{ job: name, places, notes, variables: own, targets, jobs: known },
    secrets: new Set(secrets),
  };
  const questions = describeSettings(job, path, context);
  const where = readJobTargets(job, path, context);
  const { steps, from } = convertSteps(job.sequence as Fields, `${path}/sequence`, context, where.batch);
  const first = [
    ...(questions.length > 0
      ? [createPlaceholderStep({ key: 'check-job' }, `Not carried over from Rundeck: ${questions.join(' ')}`)]
      : []),
    ...(where.gate === null ? [] : [createPlaceholderStep({ key: 'check-targets' }, where.gate)]),
  ];
  const variables = options.map((option) => convertOption(option, context));
  const description = toText(job.description);
  if ((description?.length ?? 0) > MAX_DESCRIPTION_CHARACTERS)
    addNote(
      context,
      `${path}/description`,
      null,
      'description',
      `Only ${MAX_DESCRIPTION_CHARACTERS} characters are kept.`,
    );
  const value: Fields = {
    name,
    ...(description === null ? {} : { description: description.slice(0, MAX_DESCRIPTION_CHARACTERS) }),
    ...(where.targets === '' ? {} : { targets: where.targets }),
    ...toFlowFields(job, path, where, context),
    ...(isTrue(job.multipleExecutions) ? { parallelSafe: true } : {}),
    ...(variables.length > 0 ? { variables } : {}),
    steps: [...first, ...steps],
  };
  const placed: Record<string, TextPlace> = { '': places[path] ?? START_PLACE };
  options.forEach((option, at) => void (placed[`/variables/${at}`] = places[option.path] ?? START_PLACE));
  from.forEach((command, at) => void (placed[`/steps/${at + first.length}`] = places[command] ?? START_PLACE));
  return { value, line: findLine(places, path) ?? places[path]?.line ?? 1, places: placed, comments: false };
}

function convertSteps(
  sequence: Fields,
  path: string,
  context: JobContext,
  batch: number | null,
): { steps: Fields[]; from: string[] } {
  const commands = Array.isArray(sequence.commands) ? sequence.commands : [];
  const steps: Fields[] = [];
  const from: string[] = [];
  commands.slice(0, MAX_STEPS).forEach((command, index) => {
    const at = `${path}/commands/${index}`;
    if (isFields(command) && (command.enabled === false || command.enabled === 'false')) {
      addNote(context, at, String(index + 1), 'step', 'It is disabled in Rundeck, so it is left out.');
      return;
    }
    const step = convertStep(command, at, index + 1, context);
    steps.push(step.type === 'gate' || step.type === 'plan' || batch === null ? step : { ...step, batch });
    from.push(at);
  });
  const rest =
    commands.length > MAX_STEPS
      ? `Only the first ${MAX_STEPS} of ${commands.length} steps are carried over: split the job.`
      : commands.length > 0 && steps.length === 0
        ? 'All steps of the job are disabled in Rundeck.'
        : null;
  if (rest !== null) {
    addNote(context, path, null, 'steps', rest);
    steps.push(createPlaceholderStep({ key: 'check-steps' }, rest));
    from.push(path);
  }
  return { steps, from };
}
