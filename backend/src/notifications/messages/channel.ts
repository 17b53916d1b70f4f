export const CHANNEL_TYPES = ['email', 'slack', 'teams', 'ntfy'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Unencrypted part of a channel. The address of a webhook and a token are stored encrypted. */
export interface StoredChannel {
  /** For mail: member ids and addresses. */
  to?: string[];
  /** Host of the address, without the path. */
  host?: string;
  /** For ntfy: address of the server, and topic. */
  url?: string;
  topic?: string;
}
