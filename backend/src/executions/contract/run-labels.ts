import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, registerDecorator } from 'class-validator';
import { shortenText } from '../../common/text/shorten.js';
import { IsOptionalField } from '../../common/http/fields.js';
import { findHiddenCharacterFault } from '../../common/text/visible-text.js';

export const MAX_LABELS = 20;
const MAX_LABEL_VALUE_LENGTH = 255;
/** The format of Kubernetes label keys. */
const LABEL_KEY_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE_PATTERN = new RegExp(String.raw`^\P{Cc}{0,${MAX_LABEL_VALUE_LENGTH}}$`, 'u');
const LABEL_KEY_RULE_TEXT =
  'only letters, digits and . _ - / (at most 63 characters), and must begin and end with a letter or digit';

export const LABEL_MAP_SCHEMA = {
  type: 'object' as const,
  maxProperties: MAX_LABELS,
  additionalProperties: { type: 'string' as const, maxLength: MAX_LABEL_VALUE_LENGTH },
  example: { release: '2.4.1', pipeline: '8712' },
};

/** Null: the labels are valid. */
export function findLabelsFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return 'labels must be an object with texts as values';
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > MAX_LABELS) return `labels may hold at most ${MAX_LABELS} entries`;
  for (const [key, text] of entries) {
    if (!LABEL_KEY_PATTERN.test(key)) return `label key "${shortenText(key)}" can contain ${LABEL_KEY_RULE_TEXT}`;
    if (typeof text !== 'string' || !LABEL_VALUE_PATTERN.test(text))
      return `the value of label "${key}" must be a text of at most ${MAX_LABEL_VALUE_LENGTH} characters without control characters`;
    const hidden = findHiddenCharacterFault(text);
    if (hidden !== null) return `the value of label "${key}" ${hidden}`;
  }
  return null;
}

/** Parses `key=value`, where the value may contain `=`; null: invalid. */
export function parseLabel(text: unknown): { key: string; value: string } | null {
  const [, key, value] = (typeof text === 'string' ? /^([^=]+)=(.*)$/s.exec(text) : null) ?? [];
  return key !== undefined && value !== undefined && LABEL_KEY_PATTERN.test(key) && LABEL_VALUE_PATTERN.test(value)
    ? { key, value }
    : null;
}

const validateWith = (message: (value: unknown) => string, fits: (value: unknown) => boolean): PropertyDecorator => {
  return (target, property) =>
    registerDecorator({
      name: 'matches',
      target: target.constructor,
      propertyName: property as string,
      validator: { validate: fits, defaultMessage: (args) => message(args?.value) },
    });
};

export const OptionalLabels = () =>
  applyDecorators(
    IsOptionalField(),
    ApiPropertyOptional(LABEL_MAP_SCHEMA),
    validateWith(
      (value) => findLabelsFault(value) ?? 'labels are invalid',
      (value) => findLabelsFault(value) === null,
    ),
  );

/** Optional, repeatable query parameter `key=value`. The handler always gets a list. */
export const QueryLabels = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value)),
    IsOptionalField(),
    IsArray({ message: '$property must be text' }),
    ArrayMaxSize(MAX_LABELS, { message: `$property can be repeated at most ${MAX_LABELS} times` }),
    validateWith(
      () => `label must look like release=2.4.1; its key can contain ${LABEL_KEY_RULE_TEXT}`,
      (value) => Array.isArray(value) && value.every((item) => parseLabel(item) !== null),
    ),
    ApiProperty({ required: false, isArray: true, type: String, maxItems: MAX_LABELS, example: ['release=2.4.1'] }),
  );
