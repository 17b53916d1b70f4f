import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  type Deprecation,
  findDeprecations,
  listClassesWithDeprecatedFields,
} from '../common/http/deprecation/deprecation.js';
import { type DescribedOperation, operationsOf, type Schema } from './openapi-schemas.js';

/** What `deprecated` is true of: an operation, parameter or field. */
interface Deprecatable {
  description?: string;
  deprecated?: boolean;
  'x-deprecation'?: Deprecation;
}

const HEADERS = ['Deprecation', 'Sunset', 'Link'];
const NOTICE_MONTHS = 6;

/** Marks deprecated operations, parameters and fields, with the replacement and dates as text and `x-deprecation`. */
export function describeDeprecations(document: OpenAPIObject, app: INestApplication): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [schema, fields] of listClassesWithDeprecatedFields())
    for (const { name, ...deprecation } of fields) mark(schemas[schema]?.properties?.[name], deprecation);
  const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));
  for (const { operationId, route, fields } of listRoutes(app)) {
    const operation = operations.get(operationId);
    if (!operation || (!route && fields.length === 0)) continue;
    if (route) mark(operation, route);
    for (const { name, ...deprecation } of fields)
      mark(
        operation.parameters?.find((parameter) => parameter.in === 'query' && parameter.name === name),
        deprecation,
      );
    for (const response of Object.values(operation.responses))
      response.headers = { ...response.headers, ...Object.fromEntries(HEADERS.map((name) => [name, { $ref: '' }])) };
  }
}

function mark(target: Deprecatable | undefined, deprecation: Deprecation): void {
  if (!target) return;
  const { since, sunset, successor } = deprecation;
  const removal = sunset === null ? '' : ` It can be removed from ${sunset}.`;
  target.description = `${target.description ?? ''} Deprecated since ${since}: use \`${successor}\`.${removal}`.trim();
  Object.assign(target, { deprecated: true, 'x-deprecation': deprecation });
}

function listRoutes(app: INestApplication) {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => {
    const controller = metatype as abstract new () => object;
    const prototype = controller.prototype as Record<string, object>;
    return Object.getOwnPropertyNames(prototype).flatMap((handler) => {
      const operation = Reflect.getMetadata('swagger/apiOperation', prototype[handler] ?? {}) as
        | { operationId?: string }
        | undefined;
      return operation ? [{ operationId: operation.operationId, ...findDeprecations(controller, handler) }] : [];
    });
  });
}

/**
 * Returns violations of `docs/compatibility.md`: a deprecated item without dates or replacement, with less notice than
 * promised, or after its last day.
 *
 * @param today Such as `2027-03-01`
 */
export function listDeprecationFaults(document: OpenAPIObject, today: string): string[] {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, DescribedOperation>).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>);
  const routeNames = routes.map(([name]) => name);
  const items: [place: string, item: Deprecatable, siblings: string[]][] = [
    ...routes.map(([name, operation]): [string, Deprecatable, string[]] => [name, operation, []]),
    ...routes.flatMap(([name, { parameters = [] }]) =>
      parameters.map((each): [string, Deprecatable, string[]] => [
        `${name} ?${each.name}`,
        each,
        parameters.map((parameter) => parameter.name),
      ]),
    ),
    ...schemas.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, schema]): [string, Deprecatable, string[]] => [
        `${name}.${field}`,
        schema,
        Object.keys(properties),
      ]),
    ),
  ];
  return items.flatMap(([place, item, siblings]) =>
    item.deprecated
      ? findFaults(item['x-deprecation'], [...routeNames, ...siblings], today).map((fault) => `${place} ${fault}`)
      : [],
  );
}

function findFaults(deprecation: Deprecation | undefined, successors: readonly string[], today: string): string[] {
  const { since = '', sunset = null, successor = '' } = deprecation ?? {};
  const faults: string[] = [];
  if (!isDate(since)) faults.push('has no date of its deprecation');
  if (!successors.includes(successor)) faults.push(`has no successor that exists: "${successor}"`);
  if (sunset === null) return faults;
  const earliest = new Date(since);
  earliest.setUTCMonth(earliest.getUTCMonth() + NOTICE_MONTHS);
  if (!isDate(sunset) || !(Date.parse(sunset) >= earliest.getTime()))
    faults.push(`has less than ${NOTICE_MONTHS} months notice`);
  if (sunset <= today) faults.push(`is past its sunset ${sunset}: remove it, or set a later date`);
  return faults;
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
