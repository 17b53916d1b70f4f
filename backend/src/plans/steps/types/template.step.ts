import { ApiProperty } from '@nestjs/swagger';
import { IsNullableField, IsOptionalField, IsText, RecordId } from '../../../common/http/fields.js';
import type { Faults } from '../fields/faults.js';
import { LOOP, LOOP_DEFAULTS } from '../fields/loop.fields.js';
import { findBecomeProblems, findUnlessProblems, START, type StartFields } from '../fields/start.fields.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import { atField, type CheckContext, findTemplateProblems } from '../fields/texts.js';
import {
  findWrittenFileProblems,
  WRITTEN_FILE,
  WRITTEN_FILE_DEFAULTS,
  type WrittenFileFields,
} from '../fields/written-file.fields.js';
import type { StepTypeDefinition } from './step-type.js';

export interface TemplateStep extends StepBase, WrittenFileFields, StartFields {
  type: 'template';
  templateId: string;
  /** Command template in which `%s` is the new file. If it fails, the old file stays. */
  validate: string | null;
}

class TemplateFieldsRequest {
  /** Template of the library; required for type `template`. */
  @IsOptionalField()
  @RecordId()
  templateId?: string;

  /** Command that validates the new file; `%s` is its path. If it fails, the old file is kept. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @IsText(65_536)
  validate?: string | null;
}

class TemplateFieldsView {
  /** Type template, like `validate`. */
  templateId?: string;
  @ApiProperty({ type: String, nullable: true, required: false })
  validate?: string | null;
}

export const TEMPLATE = {
  fields: [{ request: TemplateFieldsRequest, view: TemplateFieldsView }, WRITTEN_FILE, START, LOOP],
  defaults: {
    ...BASE_DEFAULTS,
    ...LOOP_DEFAULTS,
    type: 'template',
    timeoutSeconds: 600,
    templateId: '',
    ...WRITTEN_FILE_DEFAULTS,
    validate: null,
    become: null,
    unless: null,
  },
  reference: { id: 'templateId', name: 'template', kind: 'template' },
  *check(step, known) {
    const { path } = known;
    if (step.templateId === '')
      yield { path: `${path}/templateId`, code: 'required', message: 'Choose the template that this step renders.' };
    yield* findWrittenFileProblems(step, known);
    yield* findValidateProblems(step.validate, atField(known, 'validate'));
    yield* findBecomeProblems(step.become, `${path}/become`);
    yield* findUnlessProblems(step.unless, known);
  },
  listTexts: ({ path, validate, unless }) => [path, validate, unless],
  listOutputs: () => [],
  mayChangeHosts: () => true,
  getContent: ({ templateId }) => ({ kind: 'template', id: templateId }),
} as const satisfies StepTypeDefinition<TemplateStep>;

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
