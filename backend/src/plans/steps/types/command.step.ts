import { IsOptionalField, IsText } from '../../../common/http/fields.js';
import { LOOP, LOOP_DEFAULTS } from '../fields/loop.fields.js';
import { findProgramProblems, PROGRAM, PROGRAM_DEFAULTS, type ProgramFields } from '../fields/program.fields.js';
import { START } from '../fields/start.fields.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import { atField, findTemplateProblems } from '../fields/texts.js';
import type { StepTypeDefinition } from './step-type.js';

export interface CommandStep extends StepBase, ProgramFields {
  type: 'command';
  /** Liquid template of POSIX shell text, see `renderCommand`. */
  command: string;
}

class CommandFieldsRequest {
  /**
   * Shell command; required for type `command`. `{{ name }}` inserts a variable, quoted for the shell.
   * @example "systemctl restart web"
   */
  @IsOptionalField()
  @IsText(65_536)
  command?: string;
}

class CommandFieldsView {
  /** Type command. */
  command?: string;
}

export const COMMAND = {
  fields: [{ request: CommandFieldsRequest, view: CommandFieldsView }, LOOP, START, PROGRAM],
  defaults: { ...BASE_DEFAULTS, ...LOOP_DEFAULTS, ...PROGRAM_DEFAULTS, type: 'command', command: '' },
  *check(step, known) {
    yield* findTemplateProblems(step.command, atField(known, 'command'), 'Write the command that this step runs.');
    yield* findProgramProblems(step, known);
  },
  listTexts: ({ command, unless, check }) => [command, unless, check],
  listOutputs: ({ outputs }) => outputs,
  mayChangeHosts: ({ readOnly }) => !readOnly,
  getContent: () => null,
} as const satisfies StepTypeDefinition<CommandStep>;
