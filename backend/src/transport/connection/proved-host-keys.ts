import type { Client, ParsedKey } from 'ssh2';
import { type HostKey, hostKeyFromBlob, InvalidHostKeyError } from '../keys/host-key.js';
import { waitAtMost } from '../listening-time.js';

/** Maximum number of recorded keys. A host usually has one key per type. */
const MAX_HOST_KEYS = 16;

/**
 * Host keys that the server has proved to own: the key of the handshake, and the keys that OpenSSH sends after the
 * login. A signature over the session ID proves each key (`hostkeys-00@openssh.com` and `hostkeys-prove-00@openssh.com`
 * in OpenSSH's PROTOCOL).
 */
export class ProvedHostKeys {
  private others: HostKey[] = [];
  private readonly receivedPromise: Promise<void>;

  /** @param client before its login, otherwise the host's list may be missed */
  constructor(client: Client) {
    this.receivedPromise = new Promise((resolve) => {
      client.once('hostkeys', (keys) => {
        this.others = keys.slice(0, MAX_HOST_KEYS).flatMap(toHostKeys);
        resolve();
      });
      client.once('close', () => resolve());
    });
  }

  /** Returns the keys proved so far. @param presentedKey key of the handshake */
  getKeysWith(presentedKey: HostKey): HostKey[] {
    return [presentedKey, ...this.others.filter(({ fingerprint }) => fingerprint !== presentedKey.fingerprint)];
  }

  /** Waits for the host's key list for at most `ms`. Servers other than OpenSSH never send one. */
  async within(ms: number): Promise<void> {
    await waitAtMost(ms, this.receivedPromise);
  }
}

function toHostKeys(key: ParsedKey): HostKey[] {
  try {
    return [hostKeyFromBlob(key.getPublicSSH())];
  } catch (error) {
    if (error instanceof InvalidHostKeyError) return [];
    throw error;
  }
}
