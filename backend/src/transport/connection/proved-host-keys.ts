import type { Client, ParsedKey } from 'ssh2';
import { type HostKey, hostKeyFromBlob, InvalidHostKeyError } from '../keys/host-key.js';
import { endsWithin } from '../listening-time.js';

/** A host has one key a type; more than this say nothing that is worth keeping. */
const MOST = 16;

/**
 * The host keys that the other end proved to own: the one of the handshake and, as OpenSSH tells them once a login was
 * accepted, all others, each proved by a signature over the session's id (`hostkeys-00@openssh.com` and
 * `hostkeys-prove-00@openssh.com` in OpenSSH's PROTOCOL).
 */
export class ProvedHostKeys {
  private others: HostKey[] = [];
  private readonly told: Promise<void>;

  /** @param client before its login, or what it tells may be missed */
  constructor(client: Client) {
    this.told = new Promise((resolve) => {
      client.once('hostkeys', (keys) => {
        this.others = keys.slice(0, MOST).flatMap(understood);
        resolve();
      });
      client.once('close', () => resolve());
    });
  }

  /** What is known by now. @param shown the key of the handshake */
  known(shown: HostKey): HostKey[] {
    return [shown, ...this.others.filter(({ fingerprint }) => fingerprint !== shown.fingerprint)];
  }

  /** Waits until the host has told them, at most so many ms: other servers than OpenSSH never do. */
  async within(ms: number): Promise<void> {
    await endsWithin(ms, this.told);
  }
}

function understood(key: ParsedKey): HostKey[] {
  try {
    return [hostKeyFromBlob(key.getPublicSSH())];
  } catch (error) {
    if (error instanceof InvalidHostKeyError) return [];
    throw error;
  }
}
