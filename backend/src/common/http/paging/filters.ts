import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches, registerDecorator } from 'class-validator';
import { invalidRequest } from '../../errors/problem.js';
import { isId } from '../../ids.js';
import { IsOptionalField, QueryText } from '../fields.js';

/**
 * Optional query parameter with a record ID. An invalid ID is rejected. An unknown or inaccessible one matches nothing.
 */
export const QueryId = () =>
  applyDecorators(IsOptionalField(), IsId(), ApiProperty({ required: false, type: String, format: 'uuid' }));

function IsId(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'matches',
      target: target.constructor,
      propertyName: property as string,
      options: { message: '$property must be the id of a record, such as 01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79' },
      validator: { validate: (value: unknown) => typeof value === 'string' && isId(value) },
    });
}

/** Optional query parameter with the full name of a record. Ignores case, like the uniqueness of names. */
export const QueryName = () =>
  applyDecorators(
    QueryText(),
    ApiProperty({
      required: false,
      type: String,
      description: 'Full name, not case-sensitive.',
    }),
  );

export const QueryPattern = (pattern: RegExp, example: string) =>
  applyDecorators(QueryText(100), Matches(pattern, { message: `$property must look like ${example}` }));

export type SortField<F extends string> = F | `-${F}`;

const toSortFields = <F extends string>(fields: readonly F[]): SortField<F>[] =>
  fields.flatMap((field): SortField<F>[] => [field, `-${field}`]);

/** Optional query parameter `sort`: a field name, with a `-` prefix for descending order. */
export const SortBy = (fields: readonly string[], defaultSort = '-createdAt') =>
  applyDecorators(
    IsOptionalField(),
    IsIn(toSortFields(fields), { message: `$property must be one of ${toSortFields(fields).join(', ')}` }),
    ApiProperty({
      required: false,
      enum: toSortFields(fields),
      description: `Field to sort by; a leading \`-\` sorts descending. Default \`${defaultSort}\`.`,
    }),
  );

/** @throws Problem 400 when the time range ends before it begins */
export function requireOrderedRange({ from, to }: { from?: string; to?: string }): void {
  if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return;
  throw invalidRequest([{ path: '?to', code: 'out_of_range', message: 'to must not be before from.' }]);
}
