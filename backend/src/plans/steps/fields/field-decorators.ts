import { applyDecorators } from '@nestjs/common';
import { registerDecorator } from 'class-validator';

export const BATCH_SCHEMA = {
  oneOf: [
    { type: 'integer' as const, minimum: 1, maximum: 999_999 },
    { type: 'string' as const, maxLength: 6 },
    { type: 'null' as const },
  ],
  example: '25%',
};

export const BECOME_SCHEMA = {
  oneOf: [{ type: 'string' as const, maxLength: 32 }, { type: 'boolean' as const }, { type: 'null' as const }],
  example: 'root',
};

export const MAX_TEXT_MAP_ENTRIES = 100;

export const toTextMapSchema = (maxLength: number) => ({
  type: 'object' as const,
  additionalProperties: { type: 'string' as const, maxLength },
  maxProperties: MAX_TEXT_MAP_ENTRIES,
  example: { LANG: 'C.UTF-8' },
});

export const MAX_ITEMS = 100;
export const MAX_ITEM_LENGTH = 1000;

export const FOR_EACH_SCHEMA = {
  oneOf: [
    { type: 'string' as const, maxLength: 64 },
    {
      type: 'array' as const,
      items: { type: 'string' as const, minLength: 1, maxLength: MAX_ITEM_LENGTH },
      maxItems: MAX_ITEMS,
    },
    { type: 'null' as const },
  ],
  example: ['web', 'api'],
};

export const wholeNumberMessage = (name: string) => ({ message: `${name} must be a whole number` });
export const wholeNumbersMessage = (name: string) => ({ message: `${name} must be a list of whole numbers` });
export const textListMessage = (name: string) => ({ message: `${name} must be a list of texts` });

const createFieldCheck = (name: string, message: string, validate: (value: unknown) => boolean): PropertyDecorator => {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options: { message },
      validator: { validate },
    });
};

export const IsBatch = () =>
  createFieldCheck(
    'isInt',
    '$property must be a whole number such as 5, or a text such as "25%"',
    (value) => Number.isInteger(value) || typeof value === 'string',
  );

/** Boolean or user name. The plan validation checks the name. */
export const IsBecome = () =>
  createFieldCheck(
    'isString',
    '$property must be true, or the name of a user such as "postgres"',
    (value) => typeof value === 'boolean' || typeof value === 'string',
  );

export const IsForEach = () =>
  createFieldCheck(
    'isString',
    `$property must be the name of a variable, or a list of at most ${MAX_ITEMS} texts`,
    (value) =>
      typeof value === 'string' ||
      (Array.isArray(value) && value.length <= MAX_ITEMS && value.every((item) => typeof item === 'string')),
  );

export const IsTextMap = () =>
  applyDecorators(
    createFieldCheck(
      'isObject',
      '$property must be an object of texts',
      (value) =>
        value !== null &&
        typeof value === 'object' &&
        !Array.isArray(value) &&
        Object.values(value).every((text) => typeof text === 'string'),
    ),
    createFieldCheck(
      'arrayMaxSize',
      `$property may have at most ${MAX_TEXT_MAP_ENTRIES} entries`,
      (value) => Object.keys(Object(value) as object).length <= MAX_TEXT_MAP_ENTRIES,
    ),
  );
