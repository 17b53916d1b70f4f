import { describe, expect, it } from '@jest/globals';
import { canonicalAddress } from './host-address.js';

describe('the address of a host', () => {
  it.each([
    ['web-1.example.com', ['WEB-1.Example.COM', 'web-1.example.com.', 'Web-1.example.com.']],
    ['web', ['web.', 'WEB']],
    ['10.0.0.5', ['10.0.0.5.', '::ffff:10.0.0.5', '::FFFF:a00:5', '[::ffff:10.0.0.5]', '0:0:0:0:0:ffff:0a00:0005']],
    ['127.0.0.1', ['127.1', '127.0.1', '0x7f.1', '0177.0.0.1', '2130706433', '::ffff:7f00:1']],
    ['8.0.0.1', ['010.0.0.1']],
    ['::1', ['0:0:0:0:0:0:0:1', '[::1]', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '0::1', '::0:1']],
    ['::', ['0:0:0:0:0:0:0:0', '0::0']],
    ['2001:db8::1', ['2001:DB8:0:0::1', '2001:0db8:0000:0000:0000:0000:0000:0001', '[2001:db8::1]']],
    ['2001:db8::1:0:0:1', ['2001:db8:0:0:1:0:0:1', '2001:db8:0:0:1::1']],
    ['fe80::1%eth0', ['FE80:0:0:0:0:0:0:1%eth0', '[fe80::1%eth0]']],
  ])('%s has one text, however it is written', (text, spellings) => {
    for (const spelling of [text, ...spellings])
      expect([spelling, canonicalAddress(spelling)]).toEqual([spelling, text]);
  });

  it.each([
    ['another name', 'web-1', 'web-2'],
    ['another IPv4 address', '10.0.0.1', '10.0.0.11'],
    ['another IPv6 address', '::1', '::2'],
    ['another zone', 'fe80::1%eth0', 'fe80::1%eth1'],
    ['no zone', 'fe80::1%eth0', 'fe80::1'],
    ['a name that only one resolver knows to be the same', 'localhost', '127.0.0.1'],
    ['an address within IPv6 that is reached in another way', '::10.0.0.1', '10.0.0.1'],
  ])('is another one for %s', (_what, one, other) => {
    expect(canonicalAddress(one)).not.toBe(canonicalAddress(other));
  });

  it('that is none stays as it is written, in lower case', () => {
    for (const text of ['Web:1', '[::1', '1::2::3', '10.0.0.256', '1.2.3.4.5', 'web_1.x-2', 'host%7', '::1]'])
      expect(canonicalAddress(text)).toBe(text.toLowerCase());
  });

  it('stays the same when it is made canonical twice', () => {
    for (const text of ['FE80::1%Eth0', '::FFFF:1.2.3.4', '127.1', 'A.b.', '::1.2.3.4', '64:ff9b::1.2.3.4'])
      expect(canonicalAddress(canonicalAddress(text))).toBe(canonicalAddress(text));
  });
});
