import { ApiPropertyOptional } from '@nestjs/swagger';
import { shortenText } from '../../../common/text/shorten.js';
import { IsOptionalField, RecordId } from '../../../common/http/fields.js';
import { suggestName } from '../../../common/text/nearest-name.js';
import { VALUE_SCHEMA } from '../../../variables/value-schema.js';
import { IsVariableMap } from '../../../variables/variable-map.js';
import { findNameFault } from '../../../variables/variable-name.js';
import type { VariableValue } from '../../../variables/variable-value.js';
import { getCallerVariable } from '../fields/caller-variable.js';
import type { Faults } from '../fields/faults.js';
import { IsTextMap, toTextMapSchema } from '../fields/field-decorators.js';
import { LOOP, LOOP_DEFAULTS } from '../fields/loop.fields.js';
import { BASE_DEFAULTS, type StepBase } from '../fields/step-base.js';
import type { CheckContext } from '../fields/texts.js';
import type { StepTypeDefinition } from './step-type.js';

const MAX_CALL_VARIABLES = 100;
/** Output of a called plan, as `step.output`. */
const OUTPUT_OF_STEP_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}\.[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Calls another plan. */
export interface CallStep extends StepBase {
  type: 'plan';
  planId: string;
  /** Values for variables of the called plan. `{{ name }}` is the caller's variable, with its type and secrecy. */
  variables: Record<string, VariableValue>;
  /** Source of each output of this step, as `step.output` of the called plan. */
  outputsFrom: Record<string, string>;
}

class CallFieldsRequest {
  /** Plan whose steps are inserted; required for type `plan`. */
  @IsOptionalField()
  @RecordId()
  planId?: string;

  /** Values for variables of the called plan. The text `{{ name }}` inserts a variable of this plan. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { release: '{{ version }}' } })
  @IsOptionalField()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** For type `plan`: outputs, each with its step and output in the called plan. */
  @ApiPropertyOptional({ ...toTextMapSchema(128), example: { address: 'deploy.address' } })
  @IsOptionalField()
  @IsTextMap()
  outputsFrom?: Record<string, string>;
}

class CallFieldsView {
  /** Type plan, like `variables` and `outputsFrom`. */
  planId?: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { release: '{{ version }}' } })
  variables?: Record<string, VariableValue>;
  @ApiPropertyOptional({ ...toTextMapSchema(128), example: { address: 'deploy.address' } })
  outputsFrom?: Record<string, string>;
}

export const CALL = {
  fields: [{ request: CallFieldsRequest, view: CallFieldsView }, LOOP],
  defaults: {
    ...BASE_DEFAULTS,
    ...LOOP_DEFAULTS,
    type: 'plan',
    timeoutSeconds: 600,
    planId: '',
    variables: {},
    outputsFrom: {},
  },
  // The steps of the called plan define these.
  refusedFields: ['timeoutSeconds', 'runOnce', 'retries', 'batch', 'maxFailPercent', 'onFailure', 'onlyIfChanged'],
  reference: { id: 'planId', name: 'plan', kind: 'plan' },
  check: findCallProblems,
  listTexts: () => [],
  listOutputs: ({ outputsFrom }) => Object.keys(outputsFrom),
  mayChangeHosts: () => true,
  getContent: () => null,
} as const satisfies StepTypeDefinition<CallStep>;

function* findCallProblems({ planId, variables, outputsFrom }: CallStep, { names, path }: CheckContext): Faults {
  if (planId === '')
    yield { path: `${path}/planId`, code: 'required', message: 'Choose the plan that this step runs.' };
  for (const [field, map] of Object.entries({ variables, outputsFrom })) {
    if (Object.keys(map).length <= MAX_CALL_VARIABLES) continue;
    yield { path: `${path}/${field}`, code: 'too_many', message: `At most ${MAX_CALL_VARIABLES} entries are allowed.` };
    return;
  }
  const known = names.map(({ name }) => name);
  for (const [name, value] of Object.entries(variables)) {
    const at = `${path}/variables/${name}`;
    const texts = (Array.isArray(value) ? value : [value]).map(String);
    const caller = getCallerVariable(value);
    if (caller !== null && !known.includes(caller)) {
      const message = `This plan has no variable "${shortenText(caller)}". ${suggestName(caller, known, 'variable')}`;
      yield { path: at, code: 'unknown_variable', message };
    } else if (caller === null && texts.some((text) => text.includes('{{') || text.includes('{%'))) {
      const message =
        'Enter a literal value, or only {{ name }} for a variable of this plan. Combine texts in the called plan.';
      yield { path: at, code: 'invalid_template', message };
    }
  }
  for (const [name, from] of Object.entries(outputsFrom)) {
    const at = `${path}/outputsFrom/${name}`;
    if (findNameFault(name) !== null) {
      const message = 'An output has 1 to 64 letters, digits and _, and does not start with a digit.';
      yield { path: at, code: 'invalid_name', message };
    } else if (!OUTPUT_OF_STEP_PATTERN.test(from)) {
      const message = 'Name a step of the called plan and its output with a dot between, such as deploy.address.';
      yield { path: at, code: 'invalid_name', message };
    }
  }
}
