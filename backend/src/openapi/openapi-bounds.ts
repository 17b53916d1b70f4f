import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { listNestedTypes } from '../common/http/fields.js';
import type { Schema } from './openapi-schemas.js';

type Class = abstract new (...args: never[]) => object;

interface Validator {
  propertyName: string;
  name?: string;
  constraints?: unknown[];
  /** Whether it validates each item of a list. */
  each?: boolean;
}

type Bound = Pick<
  Schema,
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'maxProperties'
  | 'uniqueItems'
  | 'pattern'
>;

/** JSON type and bound of each validator, by its constraint name. */
const BOUNDS: Readonly<Record<string, [types: string[], bound: (limit: unknown) => Bound]>> = {
  min: [['integer', 'number'], (limit) => ({ minimum: Number(limit) })],
  max: [['integer', 'number'], (limit) => ({ maximum: Number(limit) })],
  minLength: [['string'], (limit) => ({ minLength: Number(limit) })],
  maxLength: [['string'], (limit) => ({ maxLength: Number(limit) })],
  matches: [
    ['string'],
    (pattern) => (pattern instanceof RegExp && isPortable(pattern) ? { pattern: pattern.source } : {}),
  ],
  arrayMinSize: [['array'], (limit) => ({ minItems: Number(limit) })],
  arrayNotEmpty: [['array'], () => ({ minItems: 1 })],
  arrayMaxSize: [['array'], (limit) => ({ maxItems: Number(limit) })],
  isVariableMap: [['object'], (limit) => ({ maxProperties: Number(limit) })],
  arrayUnique: [['array'], () => ({ uniqueItems: true })],
};

/** Whether the regular expressions of all languages understand the pattern: generated clients evaluate it. */
const isPortable = ({ source, flags }: RegExp): boolean => !/\\[pP]|\(\?/.test(source) && /^u?$/.test(flags);

/** Adds the bounds that validators of request classes enforce, so that the document and the service agree. */
export function addBounds(document: OpenAPIObject, app: INestApplication): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const request of listRequestClasses(app)) {
    for (const { propertyName, name = '', constraints, each } of listValidators(request)) {
      const property = schemas[request.name]?.properties?.[propertyName];
      const [types, toBound] = BOUNDS[name] ?? [];
      if (!property || !types || !toBound) continue;
      const bounded = findOption(each ? (findOption(property, ['array'])?.items ?? {}) : property, types);
      if (bounded && bounded.enum === undefined) Object.assign(bounded, toBound(constraints?.[0]), bounded);
    }
  }
}

/** Returns the schema itself, or the alternative of it, that has one of these types. */
const findOption = (schema: Schema, types: readonly string[]): Schema | undefined =>
  [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].find(({ type }) =>
    [type].flat().some((each) => each !== undefined && types.includes(each)),
  );

/** Returns the classes of request bodies, and those that they contain. */
function listRequestClasses(app: INestApplication): Class[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const parameters = controllers.flatMap(({ metatype }) => {
    const prototype = (metatype as Class).prototype as object;
    return Object.getOwnPropertyNames(prototype).flatMap(
      (method) => (Reflect.getMetadata('design:paramtypes', prototype, method) as Class[] | undefined) ?? [],
    );
  });
  return [...new Set([...parameters, ...listNestedTypes()])];
}

const listValidators = (request: Class): Validator[] =>
  getMetadataStorage().getTargetValidationMetadatas(request, '', true, false);
