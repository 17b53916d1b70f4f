import { describe, expect, it } from 'vitest';
import type { NotificationRule } from '../../api/types';
import { channelInWords } from './channels';
import { channelOf, fieldOf, formOf, keepsSecret, missing, NEW_RULE, toCreate, toUpdate } from './rule-form';
import { deliveryStyle } from './rule-words';

const rule: NotificationRule = {
  id: 'r',
  name: 'On call',
  enabled: true,
  channel: { type: 'slack', to: null, members: [], host: 'hooks.example.org', url: null, topic: null, set: true },
  events: ['execution.failed'],
  environmentIds: ['e1'],
  hiddenEnvironments: 1,
  planIds: null,
  hiddenPlans: 0,
  owner: { id: 'u', name: 'Ada', active: true },
  lastDelivery: null,
  createdAt: '',
  updatedAt: '',
  version: 1,
};

describe('the form of a notification rule', () => {
  it('says what is missing, channel by channel', () => {
    expect(Object.keys(missing(NEW_RULE))).toEqual(['name', 'addresses']);
    expect(Object.keys(missing({ ...NEW_RULE, name: 'x', type: 'slack' }))).toEqual(['secrets.url']);
    expect(Object.keys(missing({ ...NEW_RULE, name: 'x', type: 'ntfy' }))).toEqual(['texts.url', 'texts.topic']);
    expect(Object.keys(missing({ ...NEW_RULE, name: 'x', members: ['u'], events: [] }))).toEqual(['events']);
  });

  it('keeps a stored address unless another one is typed or the kind changes', () => {
    const form = formOf(rule);
    expect(missing(form, rule)).toEqual({});
    expect(keepsSecret(form, rule)).toBe(true);
    expect(channelOf(form)).toEqual({ type: 'slack' });
    expect(channelOf({ ...form, secrets: { url: ' https://x ' } })).toEqual({ type: 'slack', url: 'https://x' });
    expect(Object.keys(missing({ ...form, type: 'teams' }, rule))).toEqual(['secrets.url']);
  });

  it('names environments in a change only where they were changed: some may not be seen', () => {
    const form = formOf(rule);
    expect(toUpdate({ ...form, name: 'Other' }, rule)).not.toHaveProperty('environmentIds');
    expect(toUpdate({ ...form, environmentIds: [] }, rule)).toMatchObject({ environmentIds: null });
    expect(toCreate(form)).toMatchObject({ environmentIds: ['e1'], planIds: null });
  });

  it('drops a token only when that is asked for', () => {
    const ntfy = { ...NEW_RULE, type: 'ntfy' as const, texts: { url: 'https://ntfy.sh', topic: 'ops' } };
    expect(channelOf(ntfy)).toEqual({ type: 'ntfy', url: 'https://ntfy.sh', topic: 'ops' });
    expect(channelOf({ ...ntfy, removeSecret: true })).toMatchObject({ token: null });
    expect(channelOf({ ...ntfy, secrets: { token: 'tk' } })).toMatchObject({ token: 'tk' });
  });

  it('shows faults of the server at its fields', () => {
    expect(fieldOf('channel.to.1', 'email')).toBe('addresses');
    expect(fieldOf('channel.url', 'ntfy')).toBe('texts.url');
    expect(fieldOf('channel.url', 'teams')).toBe('secrets.url');
    expect(fieldOf('enabled', 'teams')).toBeNull();
  });
});

describe('a rule in words', () => {
  it('describes the recipients', () => {
    expect(channelInWords(rule)).toBe('hooks.example.org');
    const members = [{ id: 'a', name: 'Ada' }];
    const mail = { ...rule.channel, type: 'email' as const, to: ['a', 'gone', 'x@y.org'], members };
    expect(channelInWords({ channel: mail })).toBe('Ada, x@y.org and 1 more');
    expect(channelInWords({ channel: { ...rule.channel, type: 'ntfy', topic: 'ops', host: 'ntfy.sh' } })).toBe(
      'ops on ntfy.sh',
    );
  });

  it('distinguishes partly sent and sent messages', () => {
    expect(deliveryStyle({ status: 'sent', reason: null }).label).toBe('Sent');
    expect(deliveryStyle({ status: 'sent', reason: { code: 'failed', text: 'x' } }).tone).toBe('warn');
  });
});
