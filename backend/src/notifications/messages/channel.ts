export const CHANNEL_TYPES = ['email', 'slack', 'teams', 'ntfy'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Unencrypted part of a channel. Webhook addresses and tokens are stored encrypted. */
export interface StoredChannel {
  to?: string[];
  host?: string;
  url?: string;
  topic?: string;
}
