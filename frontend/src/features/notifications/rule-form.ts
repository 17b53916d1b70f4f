import type {
  CreateNotificationRuleRequest,
  NotificationChannelRequest,
  NotificationEvent,
  NotificationRule,
  UpdateNotificationRuleRequest,
} from '../../api/types';

export interface RuleForm {
  name: string;
  enabled: boolean;
  type: NotificationRule['channel']['type'];
  /** Member IDs and email addresses. */
  members: string[];
  addresses: string[];
  /** URL of a webhook or ntfy server; empty: keep the stored webhook. */
  webhook: string;
  server: string;
  topic: string;
  /** Empty: keep the stored token, unless it is to be removed. */
  token: string;
  removeToken: boolean;
  events: NotificationEvent[];
  /** Empty: all environments. */
  environmentIds: string[];
  planIds: string[];
}

export const NEW_RULE: RuleForm = {
  name: '',
  enabled: true,
  type: 'email',
  members: [],
  addresses: [],
  webhook: '',
  server: '',
  topic: '',
  token: '',
  removeToken: false,
  events: ['approval_requested', 'decision_requested', 'failed', 'unknown_results'],
  environmentIds: [],
  planIds: [],
};

const isAddress = (recipient: string): boolean => recipient.includes('@');

export function formOf(rule: NotificationRule): RuleForm {
  const { type, to, url, topic } = rule.channel;
  return {
    ...NEW_RULE,
    name: rule.name,
    enabled: rule.enabled,
    type,
    members: (to ?? []).filter((each) => !isAddress(each)),
    addresses: (to ?? []).filter(isAddress),
    server: url ?? '',
    topic: topic ?? '',
    events: rule.events,
    environmentIds: rule.environmentIds ?? [],
    planIds: rule.planIds ?? [],
  };
}

export const keepsSecret = (form: RuleForm, rule: NotificationRule | undefined): boolean =>
  rule !== undefined &&
  rule.channel.set &&
  rule.channel.type === form.type &&
  (form.type === 'ntfy' ? form.token === '' && !form.removeToken : form.webhook === '');

/** @param rule stored rule; undefined: a new one */
export function missing(form: RuleForm, rule?: NotificationRule): Record<string, string> {
  const faults: Record<string, string> = {};
  if (form.name.trim() === '') faults.name = 'Enter a name.';
  if (form.events.length === 0) faults.events = 'Choose at least one event.';
  return { ...faults, ...channelErrors(form, rule) };
}

export function channelErrors(form: RuleForm, rule?: NotificationRule): Record<string, string> {
  const { type, members, addresses, webhook, server, topic } = form;
  if (type === 'email')
    return members.length + addresses.length === 0 ? { addresses: 'Choose a member or enter an address.' } : {};
  if (type === 'ntfy')
    return {
      ...(server.trim() === '' ? { server: 'Enter the server URL.' } : {}),
      ...(topic.trim() === '' ? { topic: 'Enter the topic.' } : {}),
    };
  return webhook.trim() === '' && !keepsSecret(form, rule) ? { webhook: 'Enter the webhook URL.' } : {};
}

export function channelOf(form: RuleForm): NotificationChannelRequest {
  const { type, members, addresses, webhook, server, topic, token, removeToken } = form;
  if (type === 'email') return { type, to: [...members, ...addresses.map((each) => each.trim())] };
  if (type !== 'ntfy') return { type, ...(webhook.trim() === '' ? {} : { url: webhook.trim() }) };
  return {
    type,
    url: server.trim(),
    topic: topic.trim(),
    ...(token === '' ? (removeToken ? { token: null } : {}) : { token }),
  };
}

export const toCreate = (form: RuleForm): CreateNotificationRuleRequest => ({
  name: form.name.trim(),
  enabled: form.enabled,
  channel: channelOf(form),
  events: form.events,
  environmentIds: form.environmentIds.length > 0 ? form.environmentIds : null,
  planIds: form.planIds.length > 0 ? form.planIds : null,
});

/** Sends lists only if they changed, because they omit records that the member cannot see. */
export function toUpdate(form: RuleForm, rule: NotificationRule): UpdateNotificationRuleRequest {
  const { environmentIds, planIds, ...rest } = toCreate(form);
  return {
    ...rest,
    ...(isSame(form.environmentIds, rule.environmentIds) ? {} : { environmentIds }),
    ...(isSame(form.planIds, rule.planIds) ? {} : { planIds }),
  };
}

const isSame = (typed: readonly string[], stored: readonly string[] | null): boolean =>
  typed.length === (stored?.length ?? 0) && typed.every((id) => stored?.includes(id));

/** Returns the form field for errors of a request field; null: none. */
export function fieldOf(path: string, type: RuleForm['type']): string | null {
  const [head, field] = path.split('.');
  if (head !== 'channel')
    return ['name', 'events', 'environmentIds', 'planIds'].includes(head ?? '') ? (head ?? null) : null;
  if (field === 'to') return 'addresses';
  if (field === 'url') return type === 'ntfy' ? 'server' : 'webhook';
  return field === 'topic' || field === 'token' ? field : null;
}
