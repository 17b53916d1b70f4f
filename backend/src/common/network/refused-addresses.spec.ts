import { describe, expect, it } from '@jest/globals';
import { RefusedAddresses, parseRefusedNetworks } from './refused-addresses.js';

const refuses = (entries: string[], addresses: string[]) => {
  const refused = new RefusedAddresses(entries);
  return addresses.filter((address) => refused.includes(address));
};

describe('refused addresses', () => {
  it('are the metadata services of clouds by default', () => {
    const refused = new RefusedAddresses();
    const metadata = [
      '168.63.129.16',
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      'fd00:ec2::254',
      'fd20:ce::254',
    ];
    expect(metadata.filter((address) => !refused.includes(address))).toEqual([]);
    const others = ['127.0.0.1', '::1', '10.0.0.1', '169.253.0.1', '100.100.100.201', 'fe80::1%eth0', 'fd00:ec2::253'];
    expect(others.filter((address) => refused.includes(address))).toEqual([]);
  });

  it('include all spellings that reach an IPv4 address over IPv6', () => {
    const spellings = [
      '::ffff:169.254.169.254',
      '::ffff:a9fe:a9fe',
      '0:0:0:0:0:FFFF:A9FE:A9FE',
      '64:ff9b::169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '::ffff:0:a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '::a9fe:a9fe',
    ];
    expect(refuses(['169.254.0.0/16'], spellings)).toEqual(spellings);
    expect(refuses(['169.254.0.0/16'], ['::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::a9fe:a9fe'])).toEqual([]);
    expect(refuses(['::ffff:10.0.0.0/104'], ['10.1.2.3', '::ffff:10.1.2.3', '11.0.0.1'])).toEqual([
      '10.1.2.3',
      '::ffff:10.1.2.3',
    ]);
  });

  it('are independent of the interface, and limited to one IP version', () => {
    expect(refuses(['fe80::/10'], ['fe80::1', 'fe80::1%eth0', 'febf::1%lo', 'fec0::1', '127.0.0.1'])).toEqual([
      'fe80::1',
      'fe80::1%eth0',
      'febf::1%lo',
    ]);
    expect(refuses(['0.0.0.0/0'], ['10.0.0.1', '::1'])).toEqual(['10.0.0.1']);
    expect(refuses(['::/0'], ['10.0.0.1', '::1'])).toEqual(['::1']);
    expect(refuses([], ['169.254.169.254'])).toEqual([]);
  });

  it.each([
    '',
    'host.example',
    '10.0.0',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.1/',
    '1.2.3.4/8/8',
    'fe80::1%lo',
    '::ffff:0:0/90',
  ])('cannot be named by %p', (entry) => {
    expect(parseRefusedNetworks(entry)).toBeNull();
    expect(() => new RefusedAddresses([entry])).toThrow(TypeError);
  });
});
