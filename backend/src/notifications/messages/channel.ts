export const CHANNEL_TYPES = ['email', 'slack', 'teams', 'ntfy'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Unencrypted part of a channel. The address of a webhook and a token are stored encrypted. */
export interface StoredChannel {
  to?: string[];
  host?: string;
  url?: string;
  topic?: string;
}
