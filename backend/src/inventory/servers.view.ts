import { ApiProperty } from '@nestjs/swagger';
import type { Server } from './server.entity.js';
import { TAG_MAP_SCHEMA } from './tags.js';

export class HostKeyView {
  /** @example "ssh-ed25519" */
  type: string;
  /** Base64 of the public key blob. */
  publicKey: string;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
}

const CHECK_STATES = ['reachable', 'host_key_unknown', 'host_key_changed', 'login_refused', 'unreachable'] as const;

/** What a connection check found, and what to do about it. */
export class ServerCheckView {
  at: string;
  @ApiProperty({ enum: CHECK_STATES })
  state: (typeof CHECK_STATES)[number];
  message: string;
}

export class ServerView {
  id: string;
  /** @example "web-1" */
  name: string;
  /** @example "web-1.example.com" */
  hostname: string;
  /** @example 22 */
  port: number;
  /** @example "deploy" */
  username: string;
  sshKeyId: string;
  environmentId: string;
  @ApiProperty(TAG_MAP_SCHEMA)
  tags: Record<string, string>;
  enabled: boolean;
  /** The pinned host key; null until one was accepted. */
  @ApiProperty({ type: HostKeyView, nullable: true })
  hostKey: HostKeyView | null;
  /** The key that the host showed at the last check. */
  @ApiProperty({ type: HostKeyView, nullable: true })
  seenHostKey: HostKeyView | null;
  @ApiProperty({ type: ServerCheckView, nullable: true })
  lastCheck: ServerCheckView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class ServerListView {
  items: ServerView[];
  nextCursor: string | null;
}

export const toServerView = (server: Server): ServerView => ({
  id: server.id,
  name: server.name,
  hostname: server.hostname,
  port: server.port,
  username: server.username,
  sshKeyId: server.sshKeyId,
  environmentId: server.environmentId,
  tags: server.tags,
  enabled: server.enabled,
  hostKey: server.hostKey,
  seenHostKey: server.seenHostKey,
  lastCheck: server.lastCheck,
  createdAt: server.createdAt.toISOString(),
  updatedAt: server.updatedAt.toISOString(),
  version: server.version,
});
