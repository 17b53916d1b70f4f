import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import {
  IsNullableField,
  IsOptionalField,
  OptionalTextLine,
  RecordId,
  TextItems,
} from '../../../common/http/fields.js';
import { findInterpreterProblems } from '../../../library/library-content.js';
import { checkArgumentTemplate } from '../../rendering/render-argument.js';
import { textListMessage } from '../fields/field-decorators.js';
import { LOOP, LOOP_DEFAULTS } from '../fields/loop.fields.js';
import { findProgramProblems, PROGRAM, PROGRAM_DEFAULTS, type ProgramFields } from '../fields/program.fields.js';
import { START } from '../fields/start.fields.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import { type CheckContext, findTooManyInText } from '../fields/texts.js';
import type { StepTypeDefinition } from './step-type.js';

const MAX_ARGUMENT_LENGTH = 8192;

export interface ScriptStep extends StepBase, ProgramFields {
  type: 'script';
  scriptId: string;
  /** Text templates, one per argument, see `renderArgument`. */
  arguments: string[];
  interpreter: string | null;
}

class ScriptFieldsRequest {
  /** Script of the library; required for type `script`. */
  @IsOptionalField()
  @RecordId()
  scriptId?: string;

  /** Arguments of the script, in which `{{ name }}` inserts a variable. */
  @IsOptionalField()
  @IsArray(textListMessage('arguments'))
  @ArrayMaxSize(100, { message: 'arguments may hold at most 100 items' })
  @IsString({ each: true, ...textListMessage('arguments') })
  @TextItems(MAX_ARGUMENT_LENGTH)
  arguments?: string[];

  /** Program that runs the script. Overrides the script's interpreter and first line; null = the script's own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(256)
  interpreter?: string | null;
}

class ScriptFieldsView {
  /** Type script, like `arguments` and `interpreter`. */
  scriptId?: string;
  arguments?: string[];
  /** Null = the script's own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  interpreter?: string | null;
}

export const SCRIPT = {
  fields: [{ request: ScriptFieldsRequest, view: ScriptFieldsView }, LOOP, START, PROGRAM],
  defaults: {
    ...{ ...BASE_DEFAULTS, ...LOOP_DEFAULTS, ...PROGRAM_DEFAULTS },
    type: 'script',
    scriptId: '',
    arguments: [] as string[],
    interpreter: null,
  },
  reference: { id: 'scriptId', name: 'script', kind: 'script' },
  *check(step, known) {
    const { path } = known;
    if (step.scriptId === '')
      yield { path: `${path}/scriptId`, code: 'required', message: 'Choose the script that this step runs.' };
    for (const [index, text] of step.arguments.entries()) {
      yield null;
      yield* findArgumentProblems(text, { ...known, path: `${path}/arguments/${index}` });
    }
    if (step.interpreter !== null) yield* findInterpreterProblems(step.interpreter, `${path}/interpreter`);
    yield* findProgramProblems(step, known);
  },
  listTexts: (step) => [...step.arguments, step.unless, step.check],
  listOutputs: ({ outputs }) => outputs,
  mayChangeHosts: ({ readOnly }) => !readOnly,
  getContent: ({ scriptId }) => ({ kind: 'script', id: scriptId }),
} as const satisfies StepTypeDefinition<ScriptStep>;

function findArgumentProblems(text: string, { names, earlier, path }: CheckContext): ProblemItem[] {
  if (text.length > MAX_ARGUMENT_LENGTH) {
    const message = `An argument has at most ${MAX_ARGUMENT_LENGTH} characters. Let the script read longer text from an exported variable.`;
    return [{ path, code: 'too_long', message }];
  }
  const tooMany = findTooManyInText(text, path);
  return tooMany ? [tooMany] : checkArgumentTemplate(text, names, path, earlier);
}
