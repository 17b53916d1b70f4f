import type { PinnedHostKeyView, ServerView } from '../servers.view.js';
import type { InventoryWriter } from './inventory-writer.js';

/** A key as known_hosts has it, behind the address. */
export const knownHostsKey = ({ type, publicKey, certAuthority }: PinnedHostKeyView): string =>
  `${certAuthority ? '@cert-authority ' : ''}${type} ${publicKey}`;

/** A `known_hosts` of OpenSSH with all pinned keys. Servers that are switched off are left out, as runs leave them out. */
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
