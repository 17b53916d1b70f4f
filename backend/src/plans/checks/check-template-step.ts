import type { ProblemItem } from '../../common/errors/problem-item.js';
import {
  findBecomeProblems,
  type CheckContext,
  findTemplateProblems,
  findUnlessProblems,
  atField,
} from './check-command-step.js';
import type { Faults } from './faults.js';
import { findTooManyInText } from './insertions.js';
import { checkFilePath } from '../rendering/file-path.js';
import { findSourceNameFaults } from '../../git-sources/urls/git-names.js';
import type { FileStep, TemplateStep, WritingStep } from '../steps/plan-content.js';

const FILE_OWNER_PATTERN = /^([a-z_][a-z0-9_-]{0,31}|[0-9]{1,9})$/;
const FILE_MODE_PATTERN = /^[0-7]{3,4}$/;

/** Does not check whether the template exists. */
export function* checkTemplateStep(step: TemplateStep, known: CheckContext): Faults {
  const { path } = known;
  if (step.templateId === '')
    yield { path: `${path}/templateId`, code: 'required', message: 'Choose the template that this step renders.' };
  yield* findTargetProblems(step, known);
  yield* findValidateProblems(step.validate, atField(known, 'validate'));
  yield* findBecomeProblems(step.become, `${path}/become`);
  yield* findUnlessProblems(step.unless, known);
}

/** Does not check whether the git source exists. */
export function* checkFileStep(step: FileStep, known: CheckContext): Faults {
  const { path } = known;
  if (step.gitSourceId === '')
    yield { path: `${path}/gitSourceId`, code: 'required', message: 'Choose the git source that the file comes from.' };
  yield* findSourceNameFaults({ path: step.sourcePath, ref: step.ref }, path, 'sourcePath');
  yield* findTargetProblems(step, known);
  yield* findBecomeProblems(step.become, `${path}/become`);
  yield* findUnlessProblems(step.unless, known);
}

function* findTargetProblems(step: WritingStep, known: CheckContext): Faults {
  const { path } = known;
  const tooMany = findTooManyInText(step.path, `${path}/path`);
  if (tooMany) yield tooMany;
  else yield* checkFilePath(step.path, known.names, `${path}/path`, known.earlier);
  yield* findOwnerProblems(step.owner, `${path}/owner`);
  yield* findOwnerProblems(step.group, `${path}/group`);
  yield* findModeProblems(step.mode, `${path}/mode`);
}

function findOwnerProblems(owner: string | null, path: string): ProblemItem[] {
  if (owner === null || FILE_OWNER_PATTERN.test(owner)) return [];
  return [{ path, code: 'invalid_user', message: 'Give a name such as www-data, or a number.' }];
}

function findModeProblems(mode: string | null, path: string): ProblemItem[] {
  if (mode === null || FILE_MODE_PATTERN.test(mode)) return [];
  return [{ path, code: 'invalid_mode', message: 'Give the permissions as three or four octal digits, such as 0644.' }];
}

function* findValidateProblems(command: string | null, known: CheckContext): Faults {
  if (command === null) return;
  let sound = true;
  for (const fault of findTemplateProblems(
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
