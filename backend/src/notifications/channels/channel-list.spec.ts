import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHANNELS, FIELDS_BY_NAME } from './channel-list.js';
import type { ChannelField } from './channel.js';

const shapeOf = (field: ChannelField) => [field.kind, field.kind === 'text' ? field.pattern.source : null];

describe('notification channels', () => {
  it.each([...FIELDS_BY_NAME])('declare the field %s with one kind and pattern', (_, fields) => {
    const [first, ...others] = fields.map(({ field }) => shapeOf(field));
    for (const other of others) expect(other).toEqual(first);
  });

  it.each(CHANNELS.map((channel) => [channel.type, channel] as const))(
    '%s has at most one secret field',
    (_, channel) => {
      const fields: readonly ChannelField[] = channel.fields;
      expect(fields.filter(({ secret }) => secret).length).toBeLessThanOrEqual(1);
    },
  );

  it('have an example in the documentation', () => {
    const docs = readFileSync(new URL('../../../../docs/notifications.md', import.meta.url), 'utf8');
    for (const { type } of CHANNELS) expect(docs).toContain(`"type": "${type}"`);
  });
});
