import { BlockList, isIP } from 'node:net';

/** Longest address of an issuer. */
export const MOST_ISSUER = 500;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLoopback = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  return family !== 0 && LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
};

/** Whether what comes from there can be believed: by TLS, or since it never leaves this machine. */
export const isTrustworthy = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/**
 * Why a text is no issuer as a trust rule may name it; null: it is one. It is compared with what tokens say letter by
 * letter, so it is kept as it was written.
 */
export function issuerFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^[\x21-\x7e]+$/.test(text))
    return 'issuer must be the address that tokens carry as "iss", such as https://token.actions.githubusercontent.com';
  if (!isTrustworthy(url))
    return 'issuer must begin with https:// (or be an address of this machine, such as http://127.0.0.1:8080)';
  if (url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#'))
    return 'issuer must hold no user, no password, no query and no fragment';
  return null;
}

/** Where an issuer tells of itself (OpenID Connect Discovery 1.0, 4). */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
