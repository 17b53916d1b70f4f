import { applyDecorators } from '@nestjs/common';
import { Matches } from 'class-validator';
import { invalidRequest } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { RequiredTextLine } from '../../common/http/fields.js';

/** External system, and its ID of the server. Both are null or both are set. */
export interface ServerOrigin {
  externalSource: string | null;
  externalId: string | null;
}

const SOURCE_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
/** Excludes control characters, because the ID appears in URLs, messages and exports. */
const EXTERNAL_ID_PATTERN = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u;
const SOURCE_MESSAGE =
  'must be the short name of the external system, such as netbox: letters, digits and . _ - (at most 63), beginning and ending with a letter or digit';
const EXTERNAL_ID_MESSAGE =
  'must be the identifier of the server in the external system: 1 to 200 characters without control characters';

export const ExternalSource = () =>
  applyDecorators(RequiredTextLine(63), Matches(SOURCE_PATTERN, { message: `$property ${SOURCE_MESSAGE}` }));

export const ExternalId = () =>
  applyDecorators(RequiredTextLine(200), Matches(EXTERNAL_ID_PATTERN, { message: `$property ${EXTERNAL_ID_MESSAGE}` }));

/** Returns why the text is not a valid external ID; null = valid. */
export const findExternalIdFault = (text: string): string | null =>
  EXTERNAL_ID_PATTERN.test(text) && text.trim() !== '' ? null : `externalId ${EXTERNAL_ID_MESSAGE}`;

/**
 * Validates the path segments of an external ID.
 * @throws Problem 400
 */
export function requireValidOrigin(source: string, externalId: string): void {
  const faults = [
    ...(SOURCE_PATTERN.test(source)
      ? []
      : [toFormatFault('/externalSource', `The source in the path ${SOURCE_MESSAGE}.`)]),
    ...(findExternalIdFault(externalId) === null
      ? []
      : [toFormatFault('/externalId', `The external ID in the path ${EXTERNAL_ID_MESSAGE}.`)]),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
}

/**
 * @param before null = the server does not exist yet
 * @throws Problem 400 if only one of both fields would be set
 */
export function requireCompleteOrigin(change: Partial<ServerOrigin>, before: ServerOrigin | null): void {
  const after = (name: keyof ServerOrigin) => (change[name] === undefined ? (before?.[name] ?? null) : change[name]);
  const [source, id] = [after('externalSource'), after('externalId')];
  if ((source === null) === (id === null)) return;
  const missing = source === null ? 'externalSource' : 'externalId';
  throw invalidRequest([
    toFormatFault(`/${missing}`, 'Send externalSource and externalId together, or null for both.', 'required'),
  ]);
}

const toFormatFault = (path: string, message: string, code: ProblemItem['code'] = 'invalid_format'): ProblemItem => ({
  path,
  code,
  message,
});
