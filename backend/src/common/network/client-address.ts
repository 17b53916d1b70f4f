import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/** Networks that can be named instead of listed, as in Express and nginx. */
const NAMED_NETWORKS: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export const PROXY_FORMS = `an address, a network such as 10.0.0.0/8, or one of ${Object.keys(NAMED_NETWORKS).join(', ')}`;

interface Network {
  address: string;
  prefix: number;
}

/** Returns the networks of a list entry; null = the entry is invalid or covers all addresses. */
export function parseProxyNetworks(entry: string): Network[] | null {
  const named = Object.hasOwn(NAMED_NETWORKS, entry) ? NAMED_NETWORKS[entry] : undefined;
  if (named) return named.flatMap((network) => parseProxyNetworks(network) ?? []);
  const [address = '', length, ...more] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  const isValid = more.length === 0 && !address.includes('%') && prefix >= 1 && prefix <= bits;
  return isValid ? [{ address, prefix }] : null;
}

/**
 * Returns the trusted proxies for address lookups.
 * @throws TypeError for an entry that {@link parseProxyNetworks} rejects
 */
export function createProxyList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const networks = parseProxyNetworks(entry);
    if (!networks) throw new TypeError(`${entry} is not ${PROXY_FORMS}.`);
    for (const { address, prefix } of networks) list.addSubnet(address, prefix, toAddressFamily(address));
  }
  return list;
}

/**
 * Returns the client address of a request. Each trusted proxy appends its peer to `X-Forwarded-For`. So the header is
 * read from its end, only as far as trusted proxies wrote it; the rest may be forged. Reading also stops at an entry
 * that is not an address.
 * @param peer other end of the connection; undefined = closed
 * @returns address without port; '' if unknown
 */
export function findClientAddress(peer: string | undefined, forwarded: string | undefined, trusted: BlockList): string {
  let address = peer ?? '';
  const entries = forwarded?.split(',') ?? [];
  while (isTrustedProxy(address, trusted)) {
    const entry = parseBareAddress(entries.pop()?.trim() ?? '');
    if (entry === null) break;
    address = entry;
  }
  return address;
}

export function createClientAddressResolver(trustedProxies: readonly string[]) {
  const trusted = createProxyList(trustedProxies);
  const namedProxies = createProxyList(Object.keys(NAMED_NETWORKS));
  let hasWarned = false;
  return (request: Request, _: Response, next: NextFunction): void => {
    const forwarded = request.headers['x-forwarded-for']?.toString();
    const peer = request.socket.remoteAddress;
    const value = findClientAddress(peer, forwarded, trusted);
    if (
      forwarded !== undefined &&
      peer &&
      !hasWarned &&
      isTrustedProxy(peer, namedProxies) &&
      !isTrustedProxy(peer, trusted)
    ) {
      hasWarned = true;
      new Logger('ClientAddress').warn(
        `${peer} sends X-Forwarded-For. If it is your proxy, list it in RUNWARD_TRUSTED_PROXIES. Otherwise all clients behind it share one rate limit.`,
      );
    }
    Object.defineProperty(request, 'ip', { value, enumerable: true });
    next();
  };
}

/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];
const LOOPBACK_PATTERN = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Whether a program of this machine sent the request. A proxy on this machine does not make its clients local. */
export const isFromThisMachine = ({ socket, headers }: IncomingMessage): boolean =>
  LOOPBACK_PATTERN.test(socket.remoteAddress ?? '') && PROXY_HEADERS.every((name) => headers[name] === undefined);

function isTrustedProxy(address: string, trusted: BlockList): boolean {
  // The zone (`%eth0`) names an interface, not the peer.
  const withoutZone = address.split('%')[0] ?? '';
  return isIP(withoutZone) !== 0 && trusted.check(withoutZone, toAddressFamily(withoutZone));
}

const toAddressFamily = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Returns the address of an entry without the port that some proxies add: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
function parseBareAddress(entry: string): string | null {
  const [, inBrackets, withPort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  const address = inBrackets ?? withPort ?? entry;
  return isIP(address) !== 0 ? address : null;
}
