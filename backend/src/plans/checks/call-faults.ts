import type { ProblemItem } from '../../common/errors/problem-item.js';
import { shortenText } from '../../common/text/shorten.js';
import { suggestName } from '../../common/text/nearest-name.js';
import { findValueFault } from '../../variables/variable-value.js';
import { getCallerVariable } from '../steps/fields/caller-variable.js';
import type { CallStep } from '../steps/types/call.step.js';
import { ITEM_VARIABLE } from '../steps/fields/loop.fields.js';
import { listOutputs } from '../steps/types/step-types.js';
import type { PlanContent } from '../steps/plan-content.js';

export function findCallFaults(
  { variables, outputsFrom, key }: CallStep,
  called: { name: string; content: PlanContent },
  caller: PlanContent,
  path: string,
): ProblemItem[] {
  const faults: ProblemItem[] = [];
  const names = called.content.variables.map(({ name }) => name);
  const add = (at: string, code: ProblemItem['code'], message: string) =>
    faults.push({ path: `${path}/${at}`, code, message: `Step "${key}": ${message}` });
  for (const [name, value] of Object.entries(variables)) {
    const definition = called.content.variables.find((each) => each.name === name);
    if (!definition) {
      const hint = names.length > 0 ? suggestName(name, names, 'variable') : 'It has no variables.';
      add(`variables/${name}`, 'unknown_variable', `"${called.name}" has no variable "${shortenText(name)}". ${hint}`);
      continue;
    }
    const from = getCallerVariable(value);
    if (from !== null) {
      const type = from === ITEM_VARIABLE ? 'string' : caller.variables.find((each) => each.name === from)?.type;
      const fits =
        type === undefined || type === definition.type || toComparableType(type) === toComparableType(definition.type);
      if (!fits)
        add(
          `variables/${name}`,
          'wrong_type',
          `"${name}" of "${called.name}" has the type ${definition.type}, but "${from}" has the type ${type}.`,
        );
      continue;
    }
    if (definition.type === 'secret') {
      add(
        `variables/${name}`,
        'invalid_value',
        `"${name}" of "${called.name}" is secret, and every member who can see this plan would see the value. Use {{ NAME }} of a secret variable.`,
      );
      continue;
    }
    const fault = findValueFault(definition, value);
    if (fault) add(`variables/${name}`, fault.code, fault.message);
  }
  for (const [name, from] of Object.entries(outputsFrom)) {
    const [inner = '', output = ''] = from.split('.');
    const step = called.content.steps.find((each) => each.key === inner);
    if (!step) {
      const keys = called.content.steps.map((each) => each.key);
      add(
        `outputsFrom/${name}`,
        'unknown_step',
        `"${called.name}" has no step "${shortenText(inner)}". ${suggestName(inner, keys, 'step')}`,
      );
    } else if (!listOutputs(step).includes(output)) {
      const outputs = listOutputs(step);
      const hint = outputs.length > 0 ? suggestName(output, outputs, 'output') : 'It has no outputs.';
      add(
        `outputsFrom/${name}`,
        'unknown_output',
        `The step "${inner}" of "${called.name}" has no output "${shortenText(output)}". ${hint}`,
      );
    }
  }
  return faults;
}

/** Secrets and choices are strings too. */
const toComparableType = (type: string): string => (['string', 'choice', 'secret'].includes(type) ? 'text' : type);
