import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches, registerDecorator } from 'class-validator';
import { invalidRequest } from '../../errors/problem.js';
import { isId } from '../../ids.js';
import { Maybe, QueryText } from '../fields.js';

/**
 * An optional query parameter that takes the id of a record. What can be no id is refused; the id of a record that does
 * not exist, or that the caller may not see, leaves nothing.
 */
export const QueryId = () =>
  applyDecorators(Maybe(), IsId(), ApiProperty({ required: false, type: String, format: 'uuid' }));

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

/** An optional query parameter for the whole name of a record; upper and lower case count as the same, as where names must be unique. */
export const QueryName = () =>
  applyDecorators(
    QueryText(),
    ApiProperty({
      required: false,
      type: String,
      description: 'Full name, not case-sensitive.',
    }),
  );

/** An optional query parameter of lower-case words and a pattern that says how they are put together. */
export const QueryWord = (pattern: RegExp, example: string) =>
  applyDecorators(QueryText(100), Matches(pattern, { message: `$property must look like ${example}` }));

/** The values that `sort` takes for these fields. */
export type SortOf<F extends string> = F | `-${F}`;

const sortsOf = <F extends string>(fields: readonly F[]): SortOf<F>[] =>
  fields.flatMap((field): SortOf<F>[] => [field, `-${field}`]);

/** The optional query parameter `sort`: the name of a field, with `-` before it from the last to the first. */
export const SortBy = (fields: readonly string[], usual = '-createdAt') =>
  applyDecorators(
    Maybe(),
    IsIn(sortsOf(fields), { message: `$property must be one of ${sortsOf(fields).join(', ')}` }),
    ApiProperty({
      required: false,
      enum: sortsOf(fields),
      description: `Field to sort by; a leading \`-\` sorts descending. Default \`${usual}\`.`,
    }),
  );

/** @throws Problem 400 for a range of time that ends before it begins: no record can be in it */
export function demandRange({ from, to }: { from?: string; to?: string }): void {
  if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return;
  throw invalidRequest([{ path: '?to', code: 'out_of_range', message: 'to must not be before from.' }]);
}
