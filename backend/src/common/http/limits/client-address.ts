import { BlockList, isIP } from 'node:net';
import { Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/** Networks that have a name, as Express and nginx know them. */
const NAMED: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** How one entry of a list of trusted proxies may look, for messages. */
export const PROXY_FORMS = `an address, a network such as 10.0.0.0/8, or one of ${Object.keys(NAMED).join(', ')}`;

interface Network {
  address: string;
  /** Bits of the network's part. */
  prefix: number;
}

/** The networks that an entry of the list names; null when it names none, or everybody. */
export function proxyNetworks(entry: string): Network[] | null {
  const named = Object.hasOwn(NAMED, entry) ? NAMED[entry] : undefined;
  if (named) return named.flatMap((network) => proxyNetworks(network) ?? []);
  const [address = '', length, ...more] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  const sound = more.length === 0 && !address.includes('%') && prefix >= 1 && prefix <= bits;
  return sound ? [{ address, prefix }] : null;
}

/** A list of proxies, ready to be asked. @throws TypeError for an entry that {@link proxyNetworks} doesn't know */
export function proxyList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const networks = proxyNetworks(entry);
    if (!networks) throw new TypeError(`${entry} is not ${PROXY_FORMS}.`);
    for (const { address, prefix } of networks) list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
}

/**
 * The address that a request came from. Each trusted proxy adds at the end of `X-Forwarded-For` whom it was asked by, so
 * the header is read from its end and only as far as trusted proxies wrote it: what stands before that, anybody may have
 * sent. An entry that is no address ends the reading too.
 * @param peer the other end of the connection; undefined when it is gone
 * @returns an address without port, or '' when there is none
 */
export function clientAddress(peer: string | undefined, forwarded: string | undefined, trusted: BlockList): string {
  let address = peer ?? '';
  const entries = forwarded?.split(',') ?? [];
  while (isTrusted(address, trusted)) {
    const entry = bareAddress(entries.pop()?.trim() ?? '');
    if (entry === null) break;
    address = entry;
  }
  return address;
}

/** Express middleware: lets `request.ip` tell the client's address, and nothing else, wherever it is asked for. */
export function resolveClientAddress(trustedProxies: readonly string[]) {
  const trusted = proxyList(trustedProxies);
  const nearby = proxyList(Object.keys(NAMED));
  let warned = false;
  return (request: Request, _: Response, next: NextFunction): void => {
    const forwarded = request.headers['x-forwarded-for']?.toString();
    const peer = request.socket.remoteAddress;
    const value = clientAddress(peer, forwarded, trusted);
    if (forwarded !== undefined && peer && !warned && isTrusted(peer, nearby) && !isTrusted(peer, trusted)) {
      warned = true;
      new Logger('ClientAddress').warn(
        `${peer} sends X-Forwarded-For: if it is your proxy, list it in RUNWARD_TRUSTED_PROXIES, else all clients behind it count as one.`,
      );
    }
    Object.defineProperty(request, 'ip', { value, enumerable: true });
    next();
  };
}

function isTrusted(address: string, trusted: BlockList): boolean {
  // A zone says by which interface a neighbour was reached, not who it is.
  const bare = address.split('%')[0] ?? '';
  return isIP(bare) !== 0 && trusted.check(bare, familyOf(bare));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** An entry as an address, without the port that some proxies add: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
function bareAddress(entry: string): string | null {
  const [, inBrackets, withPort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry) ?? [];
  const address = inBrackets ?? withPort ?? entry;
  return isIP(address) !== 0 ? address : null;
}
