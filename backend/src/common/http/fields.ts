import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  getMetadataStorage,
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
  ValidationTypes,
} from 'class-validator';
import { isInstant } from '../time/instant.js';
import { findHiddenCharacterFault, type LineCount } from '../text/visible-text.js';
import { MAX_ZONE_LENGTH, findTimeZoneFault } from '../time/time-zone.js';

/** Text of at most `max` characters, possibly empty: contents, credentials, values, search terms. */
export const IsText = (max: number) =>
  applyDecorators(
    ApiProperty({ maxLength: max }),
    IsString({ message: '$property must be a text' }),
    MaxLength(max, { message: `$property can have at most ${max} characters` }),
  );

/** Describes the maximum length of the texts of a list. The rules of its record enforce it. */
export const TextItems = (maxLength: number) =>
  ApiProperty({ type: [String], items: { type: 'string', maxLength }, required: false });

export const NotBlank = () => Matches(/\S/, { message: '$property must not be blank' });

/** Required, non-blank line of at most `max` visible characters: names, addresses, paths. */
export const RequiredTextLine = (max: number) => applyDecorators(IsText(max), NotBlank(), IsVisibleText('one'));

/** Like `RequiredTextLine`, but may be empty. */
export const OptionalTextLine = (max: number) => applyDecorators(IsText(max), IsVisibleText('one'));

/** Text of at most `max` visible characters on any number of lines, possibly empty: descriptions and comments. */
export const MultilineText = (max: number) => applyDecorators(IsText(max), IsVisibleText('several'));

/** Like `MultilineText`, but not blank. */
export const RequiredMultilineText = (max: number) => applyDecorators(MultilineText(max), NotBlank());

function IsVisibleText(lines: LineCount): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'visible',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || findHiddenCharacterFault(value, lines) === null,
        defaultMessage: (args) => `$property ${findHiddenCharacterFault(String(args?.value), lines) ?? 'is invalid'}`,
      },
    });
}

/** ID of a record. The lookup of the record checks existence and access. */
export const RecordId = () =>
  applyDecorators(
    IsString({ message: '$property must be the id of a record' }),
    MaxLength(64, { message: '$property must be the id of a record' }),
  );

/** May be absent. `ValidationPipe` removes null, which means the same. */
export const IsOptionalField = () =>
  applyDecorators(
    ApiProperty({ required: false }),
    ValidateIf((_, value) => value !== undefined),
  );

const isValue = (_: object, value: unknown): boolean => value !== undefined && value !== null;

/** May be absent or null. Null clears the field in a change, and means the same as absent otherwise. */
export const IsNullableField = () => applyDecorators(ApiProperty({ required: false }), ValidateIf(isValue));

/** Returns the names of the optional fields of a request class in which null means the same as absent. */
export function listFieldsWithoutNull(request: abstract new (...args: never[]) => object): string[] {
  const optional = getMetadataStorage()
    .getTargetValidationMetadatas(request, '', true, false)
    .filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const nullable = new Set(
    optional.filter(({ constraints }) => constraints?.[0] === isValue).map(({ propertyName }) => propertyName),
  );
  return optional.map(({ propertyName }) => propertyName).filter((name) => !nullable.has(name));
}

export const OptionalBoolean = () =>
  applyDecorators(IsOptionalField(), IsBoolean({ message: '$property must be true or false' }));

export const IsOneOf = (words: readonly string[]) =>
  applyDecorators(
    ApiProperty({ enum: words }),
    IsIn(words, { message: `$property must be one of ${words.join(', ')}` }),
  );

export const OptionalOneOf = (words: readonly string[]) =>
  applyDecorators(IsOptionalField(), IsOneOf(words), ApiProperty({ required: false }));

/** Fields of the create request as optional fields of the change request. */
export const PartialUpdateOf = <T>(create: Class<T>): Class<Partial<T>> =>
  PartialType(create, { skipNullProperties: false });

export const IsInstantField = () => applyDecorators(IsInstant(), ApiProperty({ type: String, format: 'date-time' }));

export const OptionalInstant = () =>
  applyDecorators(IsOptionalField(), IsInstantField(), ApiProperty({ required: false }));

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

type NestedType = () => new () => object;
const nestedTypes = new Set<NestedType>();

/** Returns the request classes that other ones contain. */
export const listNestedTypes = (): (new () => object)[] => [...nestedTypes].map((type) => type());

const TypeOfNested = (type: NestedType): PropertyDecorator => {
  nestedTypes.add(type);
  return Type(type);
};

export const NestedObject = (type: NestedType) =>
  applyDecorators(
    IsObject({ message: '$property must be an object' }),
    ValidateNested({ message: '$property must be an object' }),
    TypeOfNested(type),
  );

/** List of nested objects. Every item must be an object, so that nested lists are rejected. */
export const NestedObjectList = (type: NestedType, max: number) =>
  applyDecorators(
    IsArray({ message: '$property must be a list' }),
    ArrayMaxSize(max, { message: `$property can have at most ${max} items` }),
    EachIsObject(),
    ValidateNested({ each: true, message: '$property must be a list of objects' }),
    TypeOfNested(type),
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

/** Converts a whole number in a query string, such as `?limit=50`. Other text stays text and fails validation. */
const parseWholeNumber = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(value) ? Number(value) : value;

export const QueryInteger = (min: number, max: number) =>
  applyDecorators(
    ApiProperty({ type: 'integer', minimum: min, maximum: max, required: false }),
    Transform(parseWholeNumber),
    IsOptionalField(),
    IsInt({ message: `$property must be a whole number from ${min} to ${max}` }),
    Min(min, { message: `$property must be a whole number from ${min} to ${max}` }),
    Max(max, { message: `$property must be a whole number from ${min} to ${max}` }),
  );

export const OptionalWholeNumber = (min: number, max: number) =>
  applyDecorators(
    IsOptionalField(),
    ApiProperty({ required: false, type: 'integer', minimum: min, maximum: max }),
    IsInt({ message: `$property must be a whole number from ${min} to ${max}` }),
    Min(min, { message: `$property must be a whole number from ${min} to ${max}` }),
    Max(max, { message: `$property must be a whole number from ${min} to ${max}` }),
  );

/** Optional text query parameter. If it is repeated, its value is a list, which is rejected. */
export const QueryText = (max = 200) => applyDecorators(IsOptionalField(), IsText(max));

export const QueryBoolean = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    OptionalBoolean(),
    ApiProperty({ required: false, type: Boolean }),
  );

export const QueryList = (allowed: readonly string[]) =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value)),
    IsOptionalField(),
    IsArray({ message: '$property must be given as text' }),
    ArrayMaxSize(allowed.length, { message: '$property is repeated too often' }),
    EachOf(allowed),
    ApiProperty({ required: false, isArray: true, enum: allowed, maxItems: allowed.length }),
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

/** Returns the names of the fields that a request class accepts. */
export function listFields(request: new () => object): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(request, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

export const TimeZone = (): PropertyDecorator =>
  applyDecorators(ApiProperty({ type: String, maxLength: MAX_ZONE_LENGTH, example: 'Europe/Berlin' }), IsTimeZone());

function IsTimeZone(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isTimeZone',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => findTimeZoneFault(value) === null,
        defaultMessage: (args) => findTimeZoneFault(args?.value) ?? 'timeZone is invalid',
      },
    });
}
