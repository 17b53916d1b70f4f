import { NOTIFICATION_CHANNELS } from '../../api/lists';
import type { NotificationRule } from '../../api/types';

type Channel = (typeof NOTIFICATION_CHANNELS)[number];
export type ChannelField = Channel['fields'][number];

/** The server may be newer than this page and have further channels. */
const UNKNOWN_CHANNEL = { help: null, summary: '{host}', fields: [] } as const;

export const channelOfType = (type: Channel['type']) =>
  NOTIFICATION_CHANNELS.find((channel) => channel.type === type) ?? { label: type, ...UNKNOWN_CHANNEL };

export const fieldsOf = (type: Channel['type']): readonly ChannelField[] => channelOfType(type).fields;

export const channelLabel = (type: Channel['type']): string => channelOfType(type).label;

export const hasRecipients = (type: Channel['type']): boolean =>
  fieldsOf(type).some(({ kind }) => kind === 'recipients');

export const channelInWords = ({ channel }: Pick<NotificationRule, 'channel'>): string =>
  channelOfType(channel.type).summary.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'to' ? recipientsInWords(channel) : storedText(channel, name),
  );

/** Returns the text of a channel that is not secret; empty: none. */
export const storedText = (channel: NotificationRule['channel'], name: string): string => {
  const value: unknown = Object.entries(channel).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
};

function recipientsInWords({ to, members }: NotificationRule['channel']): string {
  const names = (to ?? []).map(
    (each) => members.find(({ id }) => id === each)?.name ?? (each.includes('@') ? each : null),
  );
  const known = names.filter((name) => name !== null);
  const gone = names.length - known.length;
  const listed = known.slice(0, 3).join(', ');
  const more = Math.max(0, known.length - 3) + gone;
  return more > 0 ? `${listed}${listed ? ' and ' : ''}${more} more` : listed;
}

/** Noun of the secret that the rule needs and does not have; undefined: none. */
export const missingSecret = ({ channel: { type, set } }: Pick<NotificationRule, 'channel'>): string | undefined =>
  set ? undefined : fieldsOf(type).find(({ secret, required }) => secret && required)?.noun;
