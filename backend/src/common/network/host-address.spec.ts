import { describe, expect, it } from '@jest/globals';
import { toCanonicalAddress, findHostAddressFault } from './host-address.js';

describe('the canonical address of a host', () => {
  it.each([
    ['web-1.example.com', ['WEB-1.Example.COM', 'web-1.example.com.', 'Web-1.example.com.']],
    ['web', ['web.', 'WEB']],
    ['10.0.0.5', ['10.0.0.5.', '::ffff:10.0.0.5', '::FFFF:a00:5', '[::ffff:10.0.0.5]', '0:0:0:0:0:ffff:0a00:0005']],
    ['127.0.0.1', ['::ffff:7f00:1', '::ffff:127.0.0.1%lo', '::FFFF:127.0.0.1%1']],
    ['::1', ['::1%1', '::1%lo', '0::1%']],
    ['fe80::1', ['fe80::1%', 'FE80:0::1']],
    ['::1', ['0:0:0:0:0:0:0:1', '[::1]', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '0::1', '::0:1']],
    ['::', ['0:0:0:0:0:0:0:0', '0::0']],
    ['2001:db8::1', ['2001:DB8:0:0::1', '2001:0db8:0000:0000:0000:0000:0000:0001', '[2001:db8::1]']],
    ['2001:db8::1:0:0:1', ['2001:db8:0:0:1:0:0:1', '2001:db8:0:0:1::1']],
    ['fe80::1%eth0', ['FE80:0:0:0:0:0:0:1%eth0', '[fe80::1%eth0]']],
  ])('is the same for all spellings of %s', (text, spellings) => {
    for (const spelling of [text, ...spellings])
      expect([spelling, toCanonicalAddress(spelling)]).toEqual([spelling, text]);
  });

  it.each([
    ['another name', 'web-1', 'web-2'],
    ['another IPv4 address', '10.0.0.1', '10.0.0.11'],
    ['another IPv6 address', '::1', '::2'],
    ['another zone', 'fe80::1%eth0', 'fe80::1%eth1'],
    ['a zone in another case', 'fe80::1%eth0', 'fe80::1%ETH0'],
    ['no zone', 'fe80::1%eth0', 'fe80::1'],
    ['a name that resolves to it only locally', 'localhost', '127.0.0.1'],
    ['an IPv6 address that embeds it without being mapped', '::10.0.0.1', '10.0.0.1'],
  ])('differs for %s', (_what, one, other) => {
    expect(toCanonicalAddress(one)).not.toBe(toCanonicalAddress(other));
  });

  it('is the lower-case text if it is not an address', () => {
    for (const text of [
      'Web:1',
      '[::1',
      '1::2::3',
      '10.0.0.256',
      '1.2.3.4.5',
      'web_1.x-2',
      'host%7',
      '::1]',
      '127.1',
      '010.0.0.1',
    ])
      expect(toCanonicalAddress(text)).toBe(text.toLowerCase());
  });

  it('is idempotent', () => {
    for (const text of ['FE80::1%Eth0', '::FFFF:1.2.3.4', '::1%lo', '127.1', 'A.b.', '::1.2.3.4', '64:ff9b::1.2.3.4'])
      expect(toCanonicalAddress(toCanonicalAddress(text))).toBe(toCanonicalAddress(text));
  });
});

describe('a host name', () => {
  it.each([
    ...['web-1', 'Web_1.example.com', 'web-1.example.com.', '10.0.0.5', '2001:db8::5', '::1', '::ffff:10.0.0.5'],
    ...['fe80::1%eth0', 'FEBF::1%br-lan.7', '127.0.0.1', '169.254.1.1', '64:ff9b::a00:5', '1e3'],
  ])('may be %s', (hostname) => {
    expect(findHostAddressFault(hostname)).toBeNull();
  });

  it.each([
    ['the unspecified address', ['0.0.0.0', '::', '0::0', '::ffff:0.0.0.0', '::ffff:0:0', '0.1.2.3', '::%lo']],
    ['a multicast address', ['224.0.0.1', 'ff02::1', 'ff02::1%eth0', '::ffff:224.0.0.1']],
    ['the broadcast address', ['255.255.255.255']],
    ['without brackets', ['[::1]', '[::]', '[web', '[fe80::1%eth0]']],
    [
      'a zone (%) only in a link-local address',
      ['::1%lo', '::1%1', '::ffff:127.0.0.1%lo', '2001:db8::1%eth0', 'fec0::1%a'],
    ],
    [
      'the name of an interface',
      ['fe80::1', 'febf:0::1', 'fe80::1%1', 'fe80::1%', 'fe80::1%eth0%eth1', 'fe80::1%eth0.', 'fe80::1%a/b'],
    ],
    [
      'four numbers',
      ['0', '127.1', '010.0.0.1', '0x7f.1', '10.0.0.5.', '0.0.0.0.', '256.1.1.1', '1.2.3.4.5', '2130706433'],
    ],
    ['without a port', ['web:22', '10.0.0.5:22', '1::2::3', '::1.', 'web%eth0', '127.0.0.1%lo', '::ffff:010.0.0.1']],
    ['a host name or address', ['', '-web', 'a..b', 'web..', '.web', 'we b', 'web/1', 'wéb']],
  ])('is refused with a reason: %s', (words, hostnames) => {
    for (const hostname of hostnames)
      expect([hostname, findHostAddressFault(hostname)]).toEqual([hostname, expect.stringContaining(words)]);
  });
});
