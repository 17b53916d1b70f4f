import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { shortenText } from '../../../common/text/shorten.js';
import { IsNullableField } from '../../../common/http/fields.js';
import { suggestName } from '../../../common/text/nearest-name.js';
import type { VariableDefinition } from '../../variables/variable-definition.js';
import type { Faults } from './faults.js';
import { FOR_EACH_SCHEMA, IsForEach, MAX_ITEM_LENGTH, MAX_ITEMS } from './field-decorators.js';

/** Name of the variable that contains the item of a loop. */
export const ITEM_VARIABLE = 'item';

export interface LoopFields {
  /** Name of a list variable, or the items; null or absent = no loop. */
  forEach?: string | string[] | null;
}

export class LoopFieldsRequest {
  /** Runs the step once for each item, as `{{ item }}`: name of a variable of type list, or the items. */
  @ApiProperty({ ...FOR_EACH_SCHEMA, required: false })
  @IsNullableField()
  @IsForEach()
  forEach?: string | string[] | null;
}

export class LoopFieldsView {
  /** Types that can run in a loop: name of a variable of type list, or the items; null = runs once. */
  @ApiPropertyOptional(FOR_EACH_SCHEMA)
  forEach?: string | string[] | null;
}

export const LOOP = { request: LoopFieldsRequest, view: LoopFieldsView } as const;
export const LOOP_DEFAULTS: LoopFields = { forEach: null };

export function* checkForEach(
  { forEach = null }: LoopFields,
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
