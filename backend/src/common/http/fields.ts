import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { isInstant } from './instant.js';
import { hiddenCharacterFault, type Lines } from './visible-text.js';

/** A text of at most `max` characters, whatever they are: contents, credentials, values, search terms. May be empty. */
export const AnyText = (max: number) =>
  applyDecorators(
    IsString({ message: '$property must be a text' }),
    MaxLength(max, { message: `$property may have at most ${max} characters` }),
  );

/** At least one character that is no space. */
export const NotBlank = () => Matches(/\S/, { message: '$property must not be blank' });

/** A required, non-blank line of at most `max` visible characters: names, addresses, paths. */
export const Text = (max: number) => applyDecorators(AnyText(max), NotBlank(), Visible('one'));

/** Like `Text`; may be empty. */
export const Line = (max: number) => applyDecorators(AnyText(max), Visible('one'));

/** A text of at most `max` visible characters in any number of lines, which may be empty: descriptions and comments. */
export const FreeText = (max: number) => applyDecorators(AnyText(max), Visible('several'));

/** Like `FreeText`; not blank. */
export const Prose = (max: number) => applyDecorators(FreeText(max), NotBlank());

function Visible(lines: Lines): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'visible',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || hiddenCharacterFault(value, lines) === null,
        defaultMessage: (args) => `$property ${hiddenCharacterFault(String(args?.value), lines) ?? 'is invalid'}`,
      },
    });
}

/** The id of a record. Whether it is one that the caller may see is found out by looking it up. */
export const RecordId = () =>
  applyDecorators(
    IsString({ message: '$property must be the id of a record' }),
    MaxLength(64, { message: '$property must be the id of a record' }),
  );

/** Absent is fine, null is not: merge semantics would otherwise have to guess. */
export const Maybe = () => ValidateIf((_, value) => value !== undefined);

/** Like `Maybe`, and null is a value of its own: "none". */
export const MaybeNull = () => ValidateIf((_, value) => value !== undefined && value !== null);

/** An optional true or false. */
export const YesNo = () => applyDecorators(Maybe(), IsBoolean({ message: '$property must be true or false' }));

/** One of some words. */
export const OneOf = (words: readonly string[]) =>
  applyDecorators(
    ApiProperty({ enum: words }),
    IsIn(words, { message: `$property must be one of ${words.join(', ')}` }),
  );

/** The same, optional. */
export const MaybeOneOf = (words: readonly string[]) =>
  applyDecorators(Maybe(), OneOf(words), ApiProperty({ required: false }));

/** The fields of the request that creates a record, each optional, for the request that changes it. Null is refused where it was. */
export const ChangeOf = <T>(create: Class<T>): Class<Partial<T>> => PartialType(create, { skipNullProperties: false });

/** A point in time, as RFC 3339 writes it: `2026-11-20T08:00:00Z`. */
export const Instant = () => applyDecorators(IsInstant(), ApiProperty({ type: String, format: 'date-time' }));

/** The same, optional. */
export const MaybeInstant = () => applyDecorators(Maybe(), Instant(), ApiProperty({ required: false }));

function IsInstant(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'matches',
      target: target.constructor,
      propertyName: property as string,
      options: {
        message: '$property must be a time with its zone, such as 2026-11-20T08:00:00Z or 2026-11-20T09:00:00+01:00',
      },
      validator: { validate: (value: unknown) => typeof value === 'string' && isInstant(value) },
    });
}

/** A nested object of a request class; an array or scalar in its place is refused. */
export const Nested = (type: () => new () => object) =>
  applyDecorators(
    IsObject({ message: '$property must be an object' }),
    ValidateNested({ message: '$property must be an object' }),
    Type(type),
  );

/** A list of nested objects; every item must itself be an object, so nothing slips in through a list in a list. */
export const NestedList = (type: () => new () => object, max: number) =>
  applyDecorators(
    IsArray({ message: '$property must be a list' }),
    ArrayMaxSize(max, { message: `$property may hold at most ${max} items` }),
    EachIsObject(),
    ValidateNested({ each: true, message: '$property must be a list of objects' }),
    Type(type),
  );

function EachIsObject(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isObject',
      target: target.constructor,
      propertyName: property as string,
      options: { message: '$property must be a list of objects' },
      validator: {
        validate: (value: unknown) =>
          Array.isArray(value) &&
          value.every((item) => item !== null && typeof item === 'object' && !Array.isArray(item)),
      },
    });
}

/** A whole number in a query string: `?limit=50`. Anything else stays text and fails the check. */
const wholeNumber = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : value;

/** An optional whole-number query parameter within bounds. */
export const QueryInt = (min: number, max: number) =>
  applyDecorators(
    Transform(wholeNumber),
    Maybe(),
    IsInt({ message: `$property must be a whole number from ${min} to ${max}` }),
    Min(min, { message: `$property must be a whole number from ${min} to ${max}` }),
    Max(max, { message: `$property must be a whole number from ${min} to ${max}` }),
  );

/** An optional whole number in a body. */
export const MaybeWhole = (min: number, max: number) =>
  applyDecorators(
    Maybe(),
    ApiProperty({ required: false, type: 'integer', minimum: min, maximum: max }),
    IsInt({ message: `$property must be a whole number from ${min} to ${max}` }),
    Min(min, { message: `$property must be a whole number from ${min} to ${max}` }),
    Max(max, { message: `$property must be a whole number from ${min} to ${max}` }),
  );

/** An optional text query parameter; given twice it is refused, as it would be a list. */
export const QueryText = (max = 200) => applyDecorators(Maybe(), AnyText(max));

/** An optional query parameter that is `true` or `false`. */
export const QueryYesNo = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    YesNo(),
    ApiProperty({ required: false, type: Boolean }),
  );

/** An optional query parameter that may be given several times; always a list for the handler. */
export const QueryList = (allowed: readonly string[]) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value)),
    Maybe(),
    IsArray({ message: '$property must be given as text' }),
    ArrayMaxSize(allowed.length, { message: '$property is repeated too often' }),
    EachOf(allowed),
    ApiProperty({ required: false, isArray: true, enum: allowed }),
  );

function EachOf(allowed: readonly string[]): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isIn',
      target: target.constructor,
      propertyName: property as string,
      options: { message: `$property must be one of ${allowed.join(', ')}` },
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.every((item) => allowed.includes(item as string)),
      },
    });
}
