import { findNameFault } from '../../variables/variable-name.js';
import { shortenText } from '../../common/text/shorten.js';
import { suggestName } from '../../common/text/nearest-name.js';
import { getCallerVariable } from '../steps/caller-variable.js';
import type { CommandName } from '../rendering/render-command.js';
import { type CallStep, ITEM_VARIABLE, type WrittenStep } from '../steps/plan-content.js';
import { MAX_ITEMS } from '../steps/plan-step.fields.js';
import type { VariableDefinition } from '../variables/variable-definition.js';
import type { Faults } from './faults.js';

const MAX_CALL_VARIABLES = 100;
const MAX_ITEM_LENGTH = 1000;
/** Output of a called plan, as `step.output`. */
const OUTPUT_OF_STEP_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}\.[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export function* checkCallStep(
  { planId, variables, outputsFrom }: CallStep,
  { names, path }: { names: readonly CommandName[]; path: string },
): Faults {
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

export function* checkForEach(
  { forEach = null }: WrittenStep,
  { variables, path }: { variables: readonly VariableDefinition[]; path: string },
): Faults {
  if (forEach === null) return;
  if (variables.some(({ name }) => name === ITEM_VARIABLE)) {
    const message = `A variable of the plan is named "${ITEM_VARIABLE}", which is the name of the item here. Rename the variable.`;
    yield { path, code: 'conflicting_fields', message };
  }
  if (typeof forEach === 'string') {
    const lists = variables.flatMap(({ name, type }) => (type === 'list' ? [name] : []));
    if (lists.includes(forEach)) return;
    const message = variables.some(({ name }) => name === forEach)
      ? `The variable "${shortenText(forEach)}" is not a list.`
      : `The plan has no variable "${shortenText(forEach)}". ${lists.length > 0 ? suggestName(forEach, lists, 'list') : 'It has no variable of the type list.'}`;
    yield { path, code: 'unknown_variable', message };
    return;
  }
  if (forEach.length === 0 || forEach.length > MAX_ITEMS) {
    yield { path, code: 'too_many', message: `Give 1 to ${MAX_ITEMS} items, or the name of a variable of type list.` };
    return;
  }
  for (const [index, item] of forEach.entries()) {
    if (item !== '' && item.length <= MAX_ITEM_LENGTH) continue;
    yield {
      path: `${path}/${index}`,
      code: 'invalid_value',
      message: `An item has 1 to ${MAX_ITEM_LENGTH} characters.`,
    };
  }
}
