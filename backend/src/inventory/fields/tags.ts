import { registerDecorator } from 'class-validator';
import { FACT_PREFIX } from '../facts/host-facts.js';
import { shown } from '../../common/errors/shown.js';

/** Keys as Kubernetes labels know them; `name` is kept for the server's own name in selectors, `facts.` for the facts of its host. */
const TAG_KEY = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
const TAG_VALUE = /^[A-Za-z0-9]([A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;
/** Most tags of a server. */
export const MOST_TAGS = 50;

/** Schema of a tag map in the OpenAPI document. */
export const TAG_MAP_SCHEMA = {
  type: 'object' as const,
  additionalProperties: { type: 'string' as const },
  example: { role: 'web', region: 'eu' },
};

/** Why this is not a map of tags, or null when it is. */
export function tagMapFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'tags must be an object of texts';
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > MOST_TAGS) return `tags may hold at most ${MOST_TAGS} entries`;
  for (const [key, tag] of entries) {
    if (key === 'name') return 'a tag may not be called "name": selectors use it for the server name';
    if (key.startsWith(FACT_PREFIX))
      return `a tag may not begin with "${FACT_PREFIX}": selectors use it for what hosts tell about themselves`;
    if (!TAG_KEY.test(key))
      return `tag key "${shown(key)}" may hold letters, digits and . _ - / (at most 63), beginning and ending with a letter or digit`;
    if (typeof tag !== 'string' || !TAG_VALUE.test(tag)) {
      return `the value of tag "${key}" must be a text of letters, digits and . _ - / (at most 63), beginning and ending with a letter or digit`;
    }
  }
  return null;
}

/** A map of tag names to tag values. */
export function IsTagMap(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isTagMap',
      target: target.constructor,
      propertyName: property as string,
      validator: {
        validate: (value: unknown) => tagMapFault(value) === null,
        defaultMessage: (args) => tagMapFault(args?.value) ?? 'tags are invalid',
      },
    });
}
