import { BlockList, isIP } from 'node:net';

export const MAX_ISSUER_LENGTH = 500;

const LOOPBACK_ADDRESSES = new BlockList();
LOOPBACK_ADDRESSES.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK_ADDRESSES.addAddress('::1', 'ipv6');

const isLoopback = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  return family !== 0 && LOOPBACK_ADDRESSES.check(host, family === 4 ? 'ipv4' : 'ipv6');
};

/** Whether responses can be trusted: they use TLS, or do not leave this machine. */
export const isTrustworthyUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/**
 * Returns why the text is not a valid issuer for a trust rule; null: valid. The text is stored unchanged, because the
 * issuer in tokens must equal it.
 */
export function findIssuerFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^[\x21-\x7e]+$/.test(text))
    return 'issuer must be the claim "iss" of its tokens, such as https://token.actions.githubusercontent.com';
  if (!isTrustworthyUrl(url))
    return 'issuer must begin with https:// (or be an address of this machine, such as http://127.0.0.1:8080)';
  if (url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#'))
    return 'issuer must not contain a user, password, query or fragment';
  return null;
}

export const toDiscoveryUrl = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
