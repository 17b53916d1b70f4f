import { registerDecorator } from 'class-validator';
import { shortenText } from '../common/text/shorten.js';
import { isVariableValueShape } from './value-schema.js';

const MAX_ENTRIES = 100;

/**
 * Returns why the value is not a map of variable values; null: it is one. Names and types are validated against the
 * plan later.
 */
function findVariableMapFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'variables must be an object';
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > MAX_ENTRIES) return `variables may hold at most ${MAX_ENTRIES} entries`;
  const bad = entries.find(([, item]) => !isVariableValueShape(item));
  return bad ? `the value of "${shortenText(bad[0])}" must be a text, number, boolean, or a list of these` : null;
}

export function IsVariableMap(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isVariableMap',
      target: target.constructor,
      propertyName: property as string,
      constraints: [MAX_ENTRIES],
      validator: {
        validate: (value: unknown) => findVariableMapFault(value) === null,
        defaultMessage: (args) => findVariableMapFault(args?.value) ?? 'variables are invalid',
      },
    });
}
