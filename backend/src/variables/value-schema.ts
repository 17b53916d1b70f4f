import { registerDecorator } from 'class-validator';

const SCALAR_SCHEMAS = [{ type: 'string' as const }, { type: 'number' as const }, { type: 'boolean' as const }];

/** Schema of a variable's value in the OpenAPI document. */
export const VALUE_SCHEMA = {
  oneOf: [...SCALAR_SCHEMAS, { type: 'array' as const, items: { oneOf: SCALAR_SCHEMAS } }],
};

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Whether this is a text, number, boolean, or a list of these. Whether it fits a type is asked later. */
export const isVariableValueShape = (value: unknown): boolean =>
  isScalar(value) || (Array.isArray(value) && value.every(isScalar));

/** A text, number, boolean, or a list of these. */
export function IsVariableValue(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isVariableValue',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: isVariableValueShape,
        defaultMessage: () => '$property must be a text, number, boolean, or a list of these',
      },
    });
}
