import { Injectable } from '@nestjs/common';
import { type HostKey } from '../../transport/keys/host-key.js';
import { scanHostKey } from '../../transport/connection/host-key-scan.js';
import { SshError } from '../../transport/ssh-errors.js';
import { GitError } from '../mirror/git-error.js';
import { type MirrorId, Mirrors } from '../mirror/mirrors.js';
import { resolveAddresses, type RemoteAccess } from '../mirror/remote.js';
import type { GitSource } from '../records/git-source.entity.js';
import type { SyncOutcome } from '../records/sync-store.js';

/** Key types to request if the first key of the host is not the accepted one. */
const SCANNED_KEY_TYPES = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
];
const SCAN_TIMEOUTS = { connectTimeoutMs: 10_000, handshakeTimeoutMs: 15_000 };

@Injectable()
export class GitSourceSynchronizer {
  constructor(private readonly mirrors: Mirrors) {}

  /** Rejects only for internal errors: failures of the remote are part of the outcome. */
  async sync(source: GitSource, access: RemoteAccess, signal: AbortSignal): Promise<SyncOutcome> {
    const { url } = access;
    let newHostKeys: { hostKey?: HostKey; seenHostKey?: HostKey | null } = {};
    try {
      if (url.scheme === 'ssh' && access.hostKey === null) {
        const contact = await this.scanFirstHostKey(source, access, signal);
        if ('state' in contact) return contact;
        newHostKeys = { hostKey: contact.hostKey, seenHostKey: null };
      }
      const mirror = { tenantId: source.tenantId, id: source.id, url };
      const found = await this.fetchFromRemote(
        source,
        mirror,
        { ...access, hostKey: newHostKeys.hostKey ?? access.hostKey },
        signal,
      );
      return { ...found, ...newHostKeys };
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (error.code === 'host_key_changed') return this.toChangedHostKeyOutcome(source, access, signal);
      return { state: 'failed', error, found: null, ...newHostKeys };
    }
  }

  private async fetchFromRemote(
    source: GitSource,
    mirror: MirrorId,
    access: RemoteAccess,
    signal: AbortSignal,
  ): Promise<SyncOutcome> {
    const { head, refs, leftOut } = await this.mirrors.fetchAll(mirror, access, signal);
    const branch = source.branch ?? head;
    const commit = branch === null ? null : (refs.get(`refs/heads/${branch}`)?.commit ?? null);
    const all = new Map([...refs].map(([name, ref]) => [name, ref.commit]));
    const bytes = await this.mirrors.countBytes(mirror);
    const files = commit === null ? null : await this.mirrors.countFiles(mirror, commit);
    const found = { commit, head, refs: all, leftOut, files, bytes };
    if (commit !== null) return { state: 'ready', error: null, found };
    const message =
      refs.size === 0
        ? 'The repository has no branch yet.'
        : branch === null
          ? 'The remote has no default branch. Set a branch for the source.'
          : `The remote has no branch "${branch}". It has ${formatBranchList([...refs.keys()])}.`;
    return { state: 'failed', error: new GitError('branch_missing', message), found };
  }

  /** @throws GitError */
  private async scanServerHostKey({ url }: RemoteAccess, signal: AbortSignal, type?: string): Promise<HostKey> {
    const [address = ''] = await resolveAddresses(url, this.mirrors.outgoing);
    try {
      return await scanHostKey(address, url.port, { ...SCAN_TIMEOUTS, signal, type });
    } catch (error) {
      if (error instanceof SshError) throw new GitError('unreachable', error.message);
      throw error;
    }
  }

  /** Finds the accepted host key on the remote, or returns the outcome to report. Sends no credentials. */
  private async scanFirstHostKey(
    source: GitSource,
    access: RemoteAccess,
    signal: AbortSignal,
  ): Promise<SyncOutcome | { hostKey: HostKey }> {
    const presentedKey = await this.scanServerHostKey(access, signal);
    const accepted = source.hostKeyFingerprint;
    if (accepted === null) {
      const message = `The host key is not accepted yet. ${access.url.host} shows the ${presentedKey.type} key ${presentedKey.fingerprint}. Compare it with the key that its operator publishes, then accept it.`;
      return {
        state: 'host_key_unknown',
        error: new GitError('host_key_unknown', message),
        found: null,
        seenHostKey: presentedKey,
      };
    }
    if (presentedKey.fingerprint === accepted) return { hostKey: presentedKey };
    for (const type of SCANNED_KEY_TYPES.filter((each) => each !== presentedKey.type)) {
      const other = await this.scanServerHostKey(access, signal, type).catch(() => null);
      if (other?.fingerprint === accepted) return { hostKey: other };
    }
    return toHostKeyMismatch(accepted, presentedKey);
  }

  private async toChangedHostKeyOutcome(
    source: GitSource,
    access: RemoteAccess,
    signal: AbortSignal,
  ): Promise<SyncOutcome> {
    const presentedKey = await this.scanServerHostKey(access, signal).catch(() => null);
    return toHostKeyMismatch(source.hostKeyFingerprint ?? '', presentedKey);
  }
}

function toHostKeyMismatch(accepted: string, presentedKey: HostKey | null): SyncOutcome {
  const seen = presentedKey
    ? `It shows the ${presentedKey.type} key ${presentedKey.fingerprint}.`
    : 'It shows another one.';
  const message = `The host key of the remote is not the accepted one, ${accepted}. ${seen} Nothing was sent to it. Find out whether its operator changed it, and accept the new one only then.`;
  return {
    state: 'host_key_changed',
    error: new GitError('host_key_changed', message),
    found: null,
    ...(presentedKey ? { seenHostKey: presentedKey } : {}),
  };
}

const MAX_NAMED_BRANCHES = 5;

function formatBranchList(names: readonly string[]): string {
  const branches = names.flatMap((name) => (name.startsWith('refs/heads/') ? [name.slice('refs/heads/'.length)] : []));
  const more = branches.length > MAX_NAMED_BRANCHES ? ` and ${branches.length - MAX_NAMED_BRANCHES} more` : '';
  return branches.length === 0 ? 'none' : `${branches.slice(0, MAX_NAMED_BRANCHES).join(', ')}${more}`;
}
