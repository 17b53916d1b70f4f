import { describe, expect, it } from '@jest/globals';
import { findClientAddress, createProxyList, parseProxyNetworks } from './client-address.js';

const trusted = createProxyList(['loopback', '10.0.0.0/8', '2001:db8:1::/48', '192.0.2.1']);
const PROXY = '127.0.0.1';

describe('clientAddress', () => {
  it.each<[string, string | undefined, string | undefined, string]>([
    ['is the peer without a header', '203.0.113.9', undefined, '203.0.113.9'],
    ['is the peer if the sender is not trusted', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is the entry of a trusted proxy', PROXY, '198.51.100.1', '198.51.100.1'],
    ['is the last entry, not the one of the client', PROXY, '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['is found behind several proxies', PROXY, '1.1.1.1, 198.51.100.1,10.1.2.3 , 2001:db8:1::5', '198.51.100.1'],
    ['ends at the first proxy that is not trusted', PROXY, '198.51.100.1, 203.0.113.5', '203.0.113.5'],
    ['is the first entry when all of them are trusted', PROXY, '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['is the proxy when it sent an empty header', PROXY, '', PROXY],
    ['is the last valid entry before an invalid one', PROXY, '198.51.100.1, unknown, 10.1.1.1', '10.1.1.1'],
    ['is the proxy when its entry is no address', PROXY, '198.51.100.1, "><script>', PROXY],
    ['has no port', PROXY, '198.51.100.1:4711', '198.51.100.1'],
    ['has neither port nor brackets', PROXY, '[2001:db8:9::1]:4711', '2001:db8:9::1'],
    ['is known for a proxy in IPv6 dress', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is known for a proxy with a zone', '2001:db8:1::1%eth0', '198.51.100.1', '198.51.100.1'],
    ['is not taken for a neighbour of a trusted address', '192.0.2.2', '198.51.100.1', '192.0.2.2'],
    ['is empty when the connection is gone', undefined, '198.51.100.1', ''],
  ])('%s', (_, peer, forwarded, expected) => {
    expect(findClientAddress(peer, forwarded, trusted)).toBe(expected);
  });

  it('ignores the header without trusted proxies', () => {
    for (const peer of [PROXY, '::1', '10.0.0.1', '203.0.113.9'])
      expect(findClientAddress(peer, '198.51.100.1', createProxyList([]))).toBe(peer);
  });
});

describe('an entry of the trusted proxy list', () => {
  it.each(['loopback', 'linklocal', 'uniquelocal', '192.0.2.1', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1'])(
    'may be %s',
    (entry) => expect(parseProxyNetworks(entry)).not.toBeNull(),
  );

  it.each([
    ...['', 'proxy.example.org', '10.0.0', '10.0.0.1/33', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/255.0.0.0'],
    ...['0.0.0.0/0', '::/0', 'fe80::1%eth0', '010.0.0.1', 'true', '1', 'constructor', '10.0.0.0/-1', '10.0.0.0/1e1'],
  ])('must not be "%s"', (entry) => expect(parseProxyNetworks(entry)).toBeNull());
});
