import type { ProblemItem } from '../../common/errors/problem-item.js';
import { becomeProblems, type Known, templateProblems, unlessProblems, within } from './check-command-step.js';
import type { Faults } from './faults.js';
import { tooManyInText } from './insertions.js';
import { checkFilePath } from '../rendering/file-path.js';
import { findSourceNameFaults } from '../../git-sources/urls/git-names.js';
import type { FileStep, TemplateStep, WritingStep } from '../steps/plan-content.js';

const FILE_OWNER = /^([a-z_][a-z0-9_-]{0,31}|[0-9]{1,9})$/;
const FILE_MODE = /^[0-7]{3,4}$/;

/** Does not check whether the template exists. */
export function* checkTemplateStep(step: TemplateStep, known: Known): Faults {
  const { path } = known;
  if (step.templateId === '')
    yield { path: `${path}/templateId`, code: 'required', message: 'Choose the template that this step renders.' };
  yield* targetProblems(step, known);
  yield* validateProblems(step.validate, within(known, 'validate'));
  yield* becomeProblems(step.become, `${path}/become`);
  yield* unlessProblems(step.unless, known);
}

/** Does not check whether the git source exists. */
export function* checkFileStep(step: FileStep, known: Known): Faults {
  const { path } = known;
  if (step.gitSourceId === '')
    yield { path: `${path}/gitSourceId`, code: 'required', message: 'Choose the git source that the file comes from.' };
  yield* findSourceNameFaults({ path: step.sourcePath, ref: step.ref }, path, 'sourcePath');
  yield* targetProblems(step, known);
  yield* becomeProblems(step.become, `${path}/become`);
  yield* unlessProblems(step.unless, known);
}

function* targetProblems(step: WritingStep, known: Known): Faults {
  const { path } = known;
  const tooMany = tooManyInText(step.path, `${path}/path`);
  if (tooMany) yield tooMany;
  else yield* checkFilePath(step.path, known.names, `${path}/path`, known.earlier);
  yield* ownerProblems(step.owner, `${path}/owner`);
  yield* ownerProblems(step.group, `${path}/group`);
  yield* modeProblems(step.mode, `${path}/mode`);
}

function ownerProblems(owner: string | null, path: string): ProblemItem[] {
  if (owner === null || FILE_OWNER.test(owner)) return [];
  return [{ path, code: 'invalid_user', message: 'Give a name such as www-data, or a number.' }];
}

function modeProblems(mode: string | null, path: string): ProblemItem[] {
  if (mode === null || FILE_MODE.test(mode)) return [];
  return [{ path, code: 'invalid_mode', message: 'Give the permissions as three or four octal digits, such as 0644.' }];
}

function* validateProblems(command: string | null, known: Known): Faults {
  if (command === null) return;
  let sound = true;
  for (const fault of templateProblems(
    command,
    known,
    'Write a command that validates the new file, or omit the field.',
  )) {
    if (fault) sound = false;
    yield fault;
  }
  if (!sound || command.includes('%s')) return;
  const message = 'Write %s where the path of the new file goes, such as: nginx -t -c %s';
  yield { path: known.path, code: 'required', message };
}
