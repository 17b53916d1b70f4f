import { NOTIFICATION_CHANNELS } from '../../api/lists';
import type {
  CreateNotificationRuleRequest,
  NotificationChannelRequest,
  NotificationChannelType,
  NotificationEvent,
  NotificationRule,
  UpdateNotificationRuleRequest,
} from '../../api/types';
import { type ChannelField, fieldsOf, storedText } from './channels';

export interface RuleForm {
  name: string;
  enabled: boolean;
  type: NotificationChannelType;
  /** Member IDs and email addresses. */
  members: string[];
  addresses: string[];
  /** By name of the field. */
  texts: Record<string, string>;
  /** By name of the field. Empty: keep the stored secret, unless it is to be removed. */
  secrets: Record<string, string>;
  removeSecret: boolean;
  events: NotificationEvent[];
  /** Empty: all environments. */
  environmentIds: string[];
  planIds: string[];
}

const emptyTexts = (): Record<string, string> =>
  Object.fromEntries(NOTIFICATION_CHANNELS.flatMap(({ fields }) => fields.map(({ name }) => [name, ''])));

export const NEW_RULE: RuleForm = {
  name: '',
  enabled: true,
  type: 'email',
  members: [],
  addresses: [],
  texts: emptyTexts(),
  secrets: emptyTexts(),
  removeSecret: false,
  events: ['approval.requested', 'decision.requested', 'execution.failed', 'execution.results_unknown'],
  environmentIds: [],
  planIds: [],
};

const isAddress = (recipient: string): boolean => recipient.includes('@');

export function formOf(rule: NotificationRule): RuleForm {
  const { type, to } = rule.channel;
  return {
    ...NEW_RULE,
    name: rule.name,
    enabled: rule.enabled,
    type,
    members: (to ?? []).filter((each) => !isAddress(each)),
    addresses: (to ?? []).filter(isAddress),
    texts: Object.fromEntries(Object.keys(NEW_RULE.texts).map((name) => [name, storedText(rule.channel, name)])),
    events: rule.events,
    environmentIds: rule.environmentIds ?? [],
    planIds: rule.planIds ?? [],
  };
}

const typed = (form: RuleForm, { name, secret }: ChannelField): string =>
  ((secret ? form.secrets : form.texts)[name] ?? '').trim();

/** Whether the stored secret of a field stays. */
export const keepsSecret = (form: RuleForm, rule: NotificationRule | undefined): boolean =>
  rule !== undefined &&
  rule.channel.set &&
  rule.channel.type === form.type &&
  fieldsOf(form.type).every((field) => !field.secret || (typed(form, field) === '' && !form.removeSecret));

/** @param rule stored rule; undefined: a new one */
export function missing(form: RuleForm, rule?: NotificationRule): Record<string, string> {
  const faults: Record<string, string> = {};
  if (form.name.trim() === '') faults.name = 'Enter a name.';
  if (form.events.length === 0) faults.events = 'Choose at least one event.';
  return { ...faults, ...channelErrors(form, rule) };
}

export function channelErrors(form: RuleForm, rule?: NotificationRule): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const field of fieldsOf(form.type)) {
    if (field.kind === 'recipients') {
      if (form.members.length + form.addresses.length === 0)
        faults[inputOf(field)] = 'Choose a member or enter an address.';
    } else if (field.required && typed(form, field) === '' && !(field.secret && keepsSecret(form, rule)))
      faults[inputOf(field)] = `Enter the ${field.noun}.`;
  }
  return faults;
}

export function channelOf(form: RuleForm): NotificationChannelRequest {
  const { type, members, addresses, removeSecret } = form;
  const channel: NotificationChannelRequest = { type };
  for (const field of fieldsOf(type)) {
    const text = typed(form, field);
    if (field.kind === 'recipients') channel[field.name] = [...members, ...addresses.map((each) => each.trim())];
    else if (text !== '' || (field.required && !field.secret)) channel[field.name] = text;
    else if (!field.required && (!field.secret || removeSecret)) channel[field.name] = null;
  }
  return channel;
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

/** Path of a field in the form. */
export const inputOf = ({ name, kind, secret }: ChannelField): string =>
  kind === 'recipients' ? 'addresses' : `${secret ? 'secrets' : 'texts'}.${name}`;

/** Returns the form field for errors of a request field; null: none. */
export function fieldOf(path: string, type: RuleForm['type']): string | null {
  const [head, name] = path.split('.');
  if (head !== 'channel')
    return ['name', 'events', 'environmentIds', 'planIds'].includes(head ?? '') ? (head ?? null) : null;
  const field = fieldsOf(type).find((each) => each.name === name);
  return field ? inputOf(field) : null;
}
