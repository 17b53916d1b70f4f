import type { PinnedHostKeyView, ServerView } from '../servers.view.js';
import type { InventoryWriter } from './inventory-writer.js';

/** Formats a key as in `known_hosts`, without the address. */
export const formatKnownHostsKey = ({ type, publicKey, certAuthority }: PinnedHostKeyView): string =>
  `${certAuthority ? '@cert-authority ' : ''}${type} ${publicKey}`;

/** OpenSSH `known_hosts` file with all pinned keys that are known, not only pinned by fingerprint. Disabled servers are omitted, as in runs. */
export class KnownHostsWriter implements InventoryWriter {
  readonly media = 'text/plain';
  readonly file = 'known_hosts';

  begin(): string {
    return '';
  }

  server({ hostname, port, enabled, hostKeys }: ServerView): string {
    if (!enabled) return '';
    const host = hostname.toLowerCase();
    const where = port === 22 ? host : `[${host}]:${port}`;
    return hostKeys
      .filter(({ publicKey }) => publicKey !== '')
      .map(
        ({ type, publicKey, certAuthority }) =>
          `${certAuthority ? '@cert-authority ' : ''}${where} ${type} ${publicKey}\n`,
      )
      .join('');
  }

  end(): string {
    return '';
  }
}
