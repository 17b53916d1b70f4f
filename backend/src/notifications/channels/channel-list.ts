import type { ChannelField, NotificationChannel } from './channel.js';
import { EMAIL } from './email.js';
import { NTFY } from './ntfy.js';
import { SLACK } from './slack.js';
import { TEAMS } from './teams.js';

/** In display order. */
export const CHANNELS = [EMAIL, SLACK, TEAMS, NTFY] as const satisfies readonly NotificationChannel[];
export type ChannelType = (typeof CHANNELS)[number]['type'];

export const CHANNEL_TYPES: readonly ChannelType[] = CHANNELS.map(({ type }) => type);

/** @throws Error if this version does not have the channel */
export function channelOf(type: ChannelType): NotificationChannel<ChannelType> {
  const channel = CHANNELS.find((each) => each.type === type);
  if (!channel) throw new Error(`This version of Runward has no notification channel ${type}.`);
  return channel;
}

export const hasRecipients = (type: ChannelType): boolean =>
  channelOf(type).fields.some(({ kind }) => kind === 'recipients');

export interface ListedField {
  /** Channels that have the field. */
  types: readonly ChannelType[];
  field: ChannelField;
}

/** Fields of all channels by name. A field that several channels declare in the same words is listed once. */
export const FIELDS_BY_NAME: ReadonlyMap<string, readonly ListedField[]> = groupFields();

function groupFields(): Map<string, ListedField[]> {
  const groups = new Map<string, ListedField[]>();
  for (const { type, fields } of CHANNELS)
    for (const field of fields as readonly ChannelField[]) {
      const listed = groups.get(field.name) ?? [];
      const same = listed.findIndex(({ field: other }) => other.description === field.description);
      if (same < 0) listed.push({ types: [type], field });
      else listed[same] = { field, types: [...(listed[same]?.types ?? []), type] };
      groups.set(field.name, listed);
    }
  return groups;
}
