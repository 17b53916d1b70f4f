import { describe, expect, it } from '@jest/globals';
import { OutgoingAddresses } from './outgoing-addresses.js';

const PUBLIC = [
  '93.184.216.34',
  '8.8.8.8',
  '2606:2800:220:1::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];
const NEVER = [
  ...['169.254.169.254', '169.254.0.1', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1', 'fe80::1%eth0'],
  ...[
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
  ],
  ...['168.63.129.16', '::ffff:168.63.129.16', '::a83f:8110', '::808:808', '::a00:5', '::2'],
  ...['255.255.255.255', '240.0.0.1', '0.1.2.3', 'nonsense', '', '2001::1'],
];
const PRIVATE = [
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '10.0.0.5',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  'fd12::1',
  '::ffff:10.0.0.5',
  '64:ff9b::10.0.0.5',
  '2002:a00:5::1',
  '::ffff:7f00:1',
];

const all = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '::1',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  '0.0.0.0/0',
  '::/0',
];
const allowed = (addresses: readonly string[], opened: string[] = [], refused: string[] = []) => {
  const rules = new OutgoingAddresses(refused, opened);
  return addresses.filter((address) => rules.allowsAddress(address));
};
const lookup =
  (...addresses: string[]) =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address })));

describe('addresses named by tenants that the service may call', () => {
  it('include public ones', () => expect(allowed(PUBLIC)).toEqual(PUBLIC));

  it(`exclude ${PRIVATE.length} private ones unless the installation opens them`, () => {
    expect(allowed(PRIVATE)).toEqual([]);
    expect(allowed(PRIVATE, all)).toEqual(PRIVATE);
    expect(allowed(PRIVATE, ['10.0.0.0/8'])).toEqual([
      '10.0.0.5',
      '::ffff:10.0.0.5',
      '64:ff9b::10.0.0.5',
      '2002:a00:5::1',
    ]);
  });

  it(`exclude ${NEVER.length} further ones with any opened networks, and even if SSH may connect everywhere`, () => {
    expect(allowed(NEVER)).toEqual([]);
    expect(allowed(NEVER, all)).toEqual([]);
  });

  it('exclude those that the installation refuses', () => expect(allowed(['8.8.8.8'], [], ['8.8.0.0/16'])).toEqual([]));
});

describe('a host name', () => {
  it('is resolved once, and the result is used', async () => {
    const rules = new OutgoingAddresses([], [], lookup('8.8.8.8', '2606:2800:220:1::1', '8.8.8.8'));
    expect(await rules.resolveAllowed('git.example.com')).toEqual(['8.8.8.8', '2606:2800:220:1::1']);
  });

  it.each(['169.254.169.254', '127.0.0.1', '10.0.0.1', 'fd00:ec2::254', '::1', '::ffff:169.254.169.254'])(
    'is refused when one of its addresses is %s, even with public ones beside it',
    async (address) => {
      for (const found of [[address], ['8.8.8.8', address], [address, '8.8.8.8']]) {
        const refused = new OutgoingAddresses([], [], lookup(...found)).resolveAllowed('git.example.com');
        await expect(refused).rejects.toMatchObject({ code: 'address_refused' });
      }
    },
  );

  it('is refused with no address, or with too many', async () => {
    for (const found of [[], Array.from({ length: 33 }, (_, index) => `8.8.8.${index}`)]) {
      const refused = new OutgoingAddresses([], [], lookup(...found)).resolveAllowed('git.example.com');
      await expect(refused).rejects.toMatchObject({ code: 'host_not_found' });
    }
    const fails = new OutgoingAddresses([], [], () => Promise.reject(new Error('ENOTFOUND'))).resolveAllowed(
      'git.example.com',
    );
    await expect(fails).rejects.toMatchObject({ code: 'host_not_found' });
  });
});
