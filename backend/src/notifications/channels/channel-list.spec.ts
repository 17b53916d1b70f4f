import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CHANNELS, FIELDS_BY_NAME } from './channel-list.js';
import type { ChannelField, NotificationChannel, StoredChannel } from './channel.js';
import { createMessage } from '../messages/message.js';
import { failedResult } from '../sending/send-result.js';

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

  const hasSecret = ({ fields }: NotificationChannel) => fields.some(({ secret }) => secret);

  it.each(CHANNELS.filter(hasSecret).map((channel): [string, NotificationChannel] => [channel.type, channel]))(
    '%s names its secret, so that no error quotes a response that contains it',
    async (type, channel) => {
      const secret = 'https://hooks.example.test/a-secret-path';
      const url = 'https://server.example.test';
      const texts = channel.fields.flatMap((field) => (field.kind === 'text' ? [[field.name, 'text']] : []));
      const message = createMessage({ event: 'test', ruleName: 'rule', sentBy: 'Ada', url });
      const sent: (readonly string[])[] = [];
      await channel.send(
        { type, channel: { ...(Object.fromEntries(texts) as StoredChannel), url }, secret, recipients: null },
        { id: 'id', thread: null, ruleName: 'rule', message },
        {
          post: ({ secrets }) => {
            sent.push(secrets);
            return Promise.resolve(failedResult('failed', 'Not sent.', true));
          },
          mail: () => Promise.reject(new Error('has no secret')),
        },
      );
      expect(sent).toHaveLength(1);
      expect(sent.flat().filter((text) => secret.includes(text))).not.toEqual([]);
    },
  );

  it('have an example in the documentation', () => {
    const docs = readFileSync(new URL('../../../../docs/notifications.md', import.meta.url), 'utf8');
    for (const { type } of CHANNELS) expect(docs).toContain(`"type": "${type}"`);
  });
});
