import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';
import { IsOptionalField } from '../../common/http/fields.js';
import { shortenText } from '../../common/text/shorten.js';
import { findHiddenCharacterFault } from '../../common/text/visible-text.js';
import { matchesSubject, MAX_WILDCARDS } from './subject-pattern.js';

const MAX_CLAIMS = 10;
const MAX_PATTERN_LENGTH = 500;
/** Names of some providers are addresses, such as `https://example.com/roles`. */
const CLAIM_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$/;
/** Claims that have fields of their own. */
const OTHER_FIELDS: Readonly<Record<string, string>> = { iss: 'issuer', sub: 'subject', aud: 'audience' };

export const CLAIM_PATTERNS_SCHEMA = {
  type: 'object' as const,
  maxProperties: MAX_CLAIMS,
  additionalProperties: { type: 'string' as const, minLength: 1, maxLength: MAX_PATTERN_LENGTH },
  example: { job_workflow_ref: 'acme/workflows/.github/workflows/deploy.yml@refs/heads/main' },
};

type ClaimPatterns = Readonly<Record<string, string>>;

/** Null: the patterns are valid. */
export function findClaimPatternsFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return 'claims must be an object with texts as values';
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length > MAX_CLAIMS) return `claims can contain at most ${MAX_CLAIMS} claims`;
  for (const [name, pattern] of entries) {
    if (!CLAIM_NAME_PATTERN.test(name))
      return `claim name "${shortenText(name)}" must begin with a letter and can contain only letters, digits and _ . : / - (at most 100 characters)`;
    if (OTHER_FIELDS[name] !== undefined) return `claim "${name}" belongs in ${OTHER_FIELDS[name]}, not in claims`;
    if (typeof pattern !== 'string' || pattern.trim() === '' || pattern.length > MAX_PATTERN_LENGTH)
      return `the pattern of claim "${name}" must be a text of 1 to ${MAX_PATTERN_LENGTH} characters`;
    const hidden = findHiddenCharacterFault(pattern);
    if (hidden !== null) return `the pattern of claim "${name}" ${hidden}`;
    if (pattern.split('*').length > MAX_WILDCARDS + 1)
      return `the pattern of claim "${name}" can contain at most ${MAX_WILDCARDS} "*"`;
  }
  return null;
}

export const OptionalClaimPatterns = () =>
  applyDecorators(IsOptionalField(), ApiPropertyOptional(CLAIM_PATTERNS_SCHEMA), AreClaimPatterns());

function AreClaimPatterns(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'matches',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => findClaimPatternsFault(value) === null,
        defaultMessage: (args) => findClaimPatternsFault(args?.value) ?? 'claims are invalid',
      },
    });
}

/** Returns the name of the first claim whose pattern the token's claims do not match; null: all match. */
export const findUnmatchedClaim = (patterns: ClaimPatterns, claims: Readonly<Record<string, unknown>>): string | null =>
  Object.entries(patterns).find(
    ([name, pattern]) => !readClaimTexts(claims, name).some((text) => matchesSubject(pattern, text)),
  )?.[0] ?? null;

/** Returns the values of the named claims, for the audit trail. */
export const pickClaims = (
  patterns: ClaimPatterns,
  claims: Readonly<Record<string, unknown>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => {
      const text = readClaimTexts(claims, name).find((each) => matchesSubject(pattern, each)) ?? '';
      return [name, text.slice(0, MAX_PATTERN_LENGTH)];
    }),
  );

/** Returns the texts that a pattern can match. A list, such as a list of groups, has several, as in `aud`. */
export function readClaimTexts(claims: Readonly<Record<string, unknown>>, name: string): string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((each) => {
    if (typeof each === 'string') return [each];
    // A larger number has lost digits, so it could match another one.
    return typeof each === 'boolean' || Number.isSafeInteger(each) ? [String(each)] : [];
  });
}
