import { describe, expect, it } from '@jest/globals';
import { toNetwork, toSite } from './network-of.js';

const SAME = ['2001:db8:0:7::1', '2001:db8:0:7:ffff::', '2001:DB8:0000:0007:1:2:3:4', '2001:db8:0:7::192.0.2.1'];

describe('networkOf', () => {
  it('returns an IPv4 address unchanged, also an IPv4-mapped one', () => {
    expect(toNetwork('192.0.2.77')).toBe('192.0.2.77');
    expect(toNetwork('::ffff:192.0.2.77')).toBe('192.0.2.77');
    expect(toNetwork('::FFFF:192.0.2.77')).toBe('192.0.2.77');
  });

  it('returns the /64 of an IPv6 address in any notation', () => {
    expect(new Set(SAME.map(toNetwork))).toEqual(new Set(['2001:db8:0:7::/64']));
    expect(toNetwork('2001:db8:0:8::1')).toBe('2001:db8:0:8::/64');
    expect(toNetwork('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
    expect(toNetwork('::1')).toBe('0:0:0:0::/64');
  });

  it('returns text that is not an address unchanged', () => {
    expect(toNetwork('')).toBe('');
    expect(toNetwork('unix:')).toBe('unix:');
  });
});

describe('siteOf', () => {
  it('returns the /24 of an IPv4 address, also of an IPv4-mapped one', () => {
    expect(toSite('192.0.2.77')).toBe('192.0.2.0/24');
    expect(toSite('::ffff:192.0.2.200')).toBe('192.0.2.0/24');
    expect(toSite('192.0.3.77')).not.toBe(toSite('192.0.2.77'));
  });

  it('returns the /48 of an IPv6 address', () => {
    expect(new Set([...SAME, '2001:db8:0:8::1'].map(toSite))).toEqual(new Set(['2001:db8:0::/48']));
    expect(toSite('2001:db8:1::1')).toBe('2001:db8:1::/48');
    expect(toSite('')).toBe('');
  });
});
