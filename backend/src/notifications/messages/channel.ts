export const CHANNEL_TYPES = ['email', 'slack', 'teams', 'ntfy'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** What of a channel is stored openly. The address of a webhook and a token are sealed beside it. */
export interface StoredChannel {
  /** Of mail: ids of members, and addresses. */
  to?: string[];
  /** Where it is sent to, without the path. */
  host?: string;
  /** Of ntfy: the server, and what its users subscribe to. */
  url?: string;
  topic?: string;
}
