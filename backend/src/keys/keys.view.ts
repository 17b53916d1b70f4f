import { ApiProperty } from '@nestjs/swagger';
import type { KeyUsage } from './key-use.js';
import type { SshKey } from './ssh-key.entity.js';

/** A server that signs in with a key. */
export class KeyUserView {
  id: string;
  /** @example "web-1" */
  name: string;
}

export class SshKeyView {
  id: string;
  /** @example "deploy" */
  name: string;
  /** @example "ed25519" */
  type: string;
  /** The line for `authorized_keys` on the hosts. */
  publicKey: string;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
  /** The first twenty servers that use it and that the caller may see. */
  @ApiProperty({ type: [KeyUserView] })
  usedBy: KeyUserView[];
  /** How many servers that the caller may see use it. */
  usedByCount: number;
  /** The open rotation that it takes part in, as the old key or the new one. */
  rotationId: string | null;
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** The answer to a key's creation: the only time a generated private part is shown (spec, rule 4). */
export class CreatedSshKeyView extends SshKeyView {
  /** The generated private key; absent for an imported one. It can't be shown again. */
  privateKey?: string;
}

export class SshKeyListView {
  items: SshKeyView[];
  nextCursor: string | null;
}

export const toSshKeyView = (key: SshKey, usage: KeyUsage): SshKeyView => ({
  id: key.id,
  name: key.name,
  type: key.type,
  publicKey: key.publicKey,
  fingerprint: key.fingerprint,
  usedBy: usage.usedBy,
  usedByCount: usage.usedByCount,
  rotationId: usage.rotationId,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  createdAt: key.createdAt.toISOString(),
  updatedAt: key.updatedAt.toISOString(),
  version: key.version,
});
