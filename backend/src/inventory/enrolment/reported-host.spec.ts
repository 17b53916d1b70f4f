import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import { encodeWireInteger, encodeWireString } from '../../transport/keys/ssh-wire.js';
import { formatHostAnswer } from './host-answer.js';
import { chooseAddress, chooseServerName, selectPinnableKeys } from './reported-host.js';

const refused = new RefusedAddresses();
const from = (source: string, viaJumpServer = false) => ({ source, viaJumpServer, refused });
const OWN = ['10.0.0.5', '2001:db8::5', '192.168.1.5'];

describe('the address that a host is registered under', () => {
  it.each<[string, string | undefined, string[], string, boolean, string]>([
    ['is the address of the command', 'web-1.example.com', OWN, '10.0.0.5', false, 'web-1.example.com'],
    ['is the address of the command, even a loopback address', '127.0.0.9', OWN, '10.0.0.5', true, '127.0.0.9'],
    ['is the source address, if the host has it', undefined, OWN, '192.168.1.5', true, '192.168.1.5'],
    ['is the source address in another spelling', undefined, ['2001:DB8:0:0::5'], '2001:db8::5', true, '2001:db8::5'],
    ['is the source address when it is IPv4-mapped', undefined, OWN, '::ffff:192.168.1.5', true, '192.168.1.5'],
    ['is the source address, if the host is reached directly', undefined, OWN, '203.0.113.7', false, '203.0.113.7'],
    ['is the first address of the host behind a jump server', undefined, OWN, '203.0.113.7', true, '10.0.0.5'],
    ['is the first address of the host, if a proxy hides the source', undefined, OWN, '127.0.0.1', false, '10.0.0.5'],
    ['is the first address of the host, if the source is unknown', undefined, OWN, '', false, '10.0.0.5'],
    [
      'is never a loopback, link-local or refused address',
      undefined,
      ['127.0.0.1', '::1', 'fe80::1', '169.254.169.254', '0.0.0.0', '224.0.0.1', 'junk', '10.0.0.7'],
      '169.254.169.254',
      false,
      '10.0.0.7',
    ],
  ])('%s', (_, address, addresses, source, viaJumpServer, expected) => {
    const asked = address === undefined ? { addresses } : { addresses, address };
    expect(chooseAddress(asked, from(source, viaJumpServer))).toEqual({ hostname: expected });
  });

  it.each(['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe'])(
    'is never the refused address %s, even if the command requests it',
    (address) => {
      const answer = chooseAddress({ address, addresses: OWN }, from('10.0.0.5'));
      expect(answer).toMatchObject({ fault: expect.stringContaining('does not allow') });
    },
  );

  it('is requested from the user when none is known', () => {
    const answer = chooseAddress({ addresses: ['127.0.0.1'] }, from('127.0.0.1'));
    expect(answer).toMatchObject({ fault: expect.stringContaining('RUNWARD_ADDRESS=') });
  });
});

const rsaLine = (bits: number) => {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });
  const blob = [
    encodeWireString('ssh-rsa'),
    ...[e, n].map((part) => encodeWireInteger(Buffer.from(part, 'base64url'))),
  ];
  return `ssh-rsa ${Buffer.concat(blob).toString('base64')}`;
};

describe('pinnableKeys', () => {
  it('returns one key per type and a reason for each weak, unknown, damaged or additional key', async () => {
    const [one, other] = [await generateKeyPair({ type: 'ed25519' }), await generateKeyPair({ type: 'ed25519' })];
    const ecdsa = await generateKeyPair({ type: 'ecdsa' });
    const certificate = `ssh-ed25519-cert-v01@openssh.com ${encodeWireString('ssh-ed25519-cert-v01@openssh.com').toString('base64')}`;
    const dsa = `ssh-dss ${Buffer.concat([encodeWireString('ssh-dss'), encodeWireString('x')]).toString('base64')}`;
    const { keys, leftOut } = selectPinnableKeys([
      ...[one.publicKey, other.publicKey, ecdsa.publicKey, rsaLine(1024), rsaLine(2048)],
      ...[certificate, dsa, 'ssh-ed25519 AAAA', 'junk', ''],
    ]);
    expect(keys.map(({ type }) => type)).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa']);
    expect(leftOut).toHaveLength(7);
    expect(leftOut.slice(0, 2)).toEqual([
      'A second ssh-ed25519 key is left out.',
      'The RSA key is left out: it has fewer than 2048 bits.',
    ]);
    expect(leftOut[3]).toContain('ssh-dss');
  });
});

describe('the name of a server that registers itself', () => {
  it('is the name of the enrolment, otherwise the host name unless it is generic or invalid', () => {
    expect(chooseServerName('web 1', 'localhost')).toBe('web 1');
    expect(chooseServerName(null, 'ip-10-0-0-5.internal')).toBe('ip-10-0-0-5.internal');
    for (const name of ['', 'localhost', 'localhost.localdomain', 'LOCALHOST', '-x', 'a b', 'a\nkey b', '(none)'])
      expect(chooseServerName(null, name)).toBeNull();
    expect(chooseServerName(null, 'a'.repeat(253))).toHaveLength(100);
  });
});

describe('the answer to a host', () => {
  it('removes line breaks and terminal control characters from names', () => {
    const say = ['Registered as "a\nkey ssh-rsa AAAA\r\u001b[2J\u2028\u202e".', 'ä'];
    expect(formatHostAnswer({ outcome: 'registered', say, key: 'ssh-ed25519 AAAA runward' })).toBe(
      'outcome registered\nsay Registered as "a key ssh-rsa AAAA [2J ".\nsay ä\nkey ssh-ed25519 AAAA runward\n',
    );
  });
});
