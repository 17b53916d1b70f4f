import { registerDecorator } from 'class-validator';
import { FACT_PREFIX } from '../facts/host-facts.js';
import { shortenText } from '../../common/text/shorten.js';

/** Syntax of Kubernetes label keys. Reserved for selectors: `name` for the server name, `facts.` for facts. */
const TAG_KEY_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
const TAG_VALUE_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
export const MAX_TAGS = 50;

export const TAG_MAP_SCHEMA = {
  type: 'object' as const,
  maxProperties: MAX_TAGS,
  additionalProperties: { type: 'string' as const, pattern: TAG_VALUE_PATTERN.source },
  example: { role: 'web', region: 'eu' },
};

/** Returns why the value is not a valid tag map; null = valid. */
export function findTagMapFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return 'tags must be an object with text values';
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > MAX_TAGS) return `tags may hold at most ${MAX_TAGS} entries`;
  for (const [key, tag] of entries) {
    if (key === 'name') return 'a tag key cannot be "name": selectors use it for the server name';
    if (key.startsWith(FACT_PREFIX))
      return `a tag key cannot begin with "${FACT_PREFIX}": selectors use this prefix for facts of the host`;
    if (!TAG_KEY_PATTERN.test(key))
      return `tag key "${shortenText(key)}" can contain only letters, digits and . _ - / (at most 63), beginning and ending with a letter or digit`;
    if (typeof tag !== 'string' || !TAG_VALUE_PATTERN.test(tag)) {
      return `the value of tag "${key}" must be a text of letters, digits and . _ - / (at most 63), beginning and ending with a letter or digit`;
    }
  }
  return null;
}

export function IsTagMap(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isTagMap',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => findTagMapFault(value) === null,
        defaultMessage: (args) => findTagMapFault(args?.value) ?? 'tags are invalid',
      },
    });
}
