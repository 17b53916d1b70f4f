import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import { wireInteger, wireString } from '../../transport/keys/ssh-wire.js';
import { answerText } from './host-answer.js';
import { addressOf, nameOf, pinnableKeys } from './reported-host.js';

const refused = new RefusedAddresses();
const from = (source: string, jumped = false) => ({ source, jumped, refused });
const OWN = ['10.0.0.5', '2001:db8::5', '192.168.1.5'];

describe('the address that a host is registered under', () => {
  it.each<[string, string | undefined, string[], string, boolean, string]>([
    ['is what the command says', 'web-1.example.com', OWN, '10.0.0.5', false, 'web-1.example.com'],
    ['is what the command says also of a loopback address', '127.0.0.9', OWN, '10.0.0.5', true, '127.0.0.9'],
    ['is where it called from, if it has that address', undefined, OWN, '192.168.1.5', true, '192.168.1.5'],
    ['is that in all spellings', undefined, ['2001:DB8:0:0::5'], '2001:db8::5', true, '2001:db8::5'],
    ['is that in IPv6 dress', undefined, OWN, '::ffff:192.168.1.5', true, '192.168.1.5'],
    ['is where it called from, if it is reached directly', undefined, OWN, '203.0.113.7', false, '203.0.113.7'],
    ['is its first own one behind a jump server', undefined, OWN, '203.0.113.7', true, '10.0.0.5'],
    ['is its first own one where a proxy hides where it called from', undefined, OWN, '127.0.0.1', false, '10.0.0.5'],
    ['is its first own one also where nobody knows', undefined, OWN, '', false, '10.0.0.5'],
    [
      'is never one that it has for itself or its link alone, nor a refused one',
      undefined,
      ['127.0.0.1', '::1', 'fe80::1', '169.254.169.254', '0.0.0.0', '224.0.0.1', 'junk', '10.0.0.7'],
      '169.254.169.254',
      false,
      '10.0.0.7',
    ],
  ])('%s', (_, address, addresses, source, jumped, expected) => {
    const asked = address === undefined ? { addresses } : { addresses, address };
    expect(addressOf(asked, from(source, jumped))).toEqual({ hostname: expected });
  });

  it.each(['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe'])(
    'is not the refused one %s, whoever says so',
    (address) => {
      const answer = addressOf({ address, addresses: OWN }, from('10.0.0.5'));
      expect(answer).toMatchObject({ fault: expect.stringContaining('does not allow') });
    },
  );

  it('is asked for where none is known', () => {
    const answer = addressOf({ addresses: ['127.0.0.1'] }, from('127.0.0.1'));
    expect(answer).toMatchObject({ fault: expect.stringContaining('RUNWARD_ADDRESS=') });
  });
});

const rsaLine = (bits: number) => {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });
  const blob = [wireString('ssh-rsa'), ...[e, n].map((part) => wireInteger(Buffer.from(part, 'base64url')))];
  return `ssh-rsa ${Buffer.concat(blob).toString('base64')}`;
};

describe('the host keys that are pinned', () => {
  it('are one of each type; weak, strange, damaged and further ones are left out with a word', async () => {
    const [one, other] = [await generateKeyPair({ type: 'ed25519' }), await generateKeyPair({ type: 'ed25519' })];
    const ecdsa = await generateKeyPair({ type: 'ecdsa' });
    const certificate = `ssh-ed25519-cert-v01@openssh.com ${wireString('ssh-ed25519-cert-v01@openssh.com').toString('base64')}`;
    const dsa = `ssh-dss ${Buffer.concat([wireString('ssh-dss'), wireString('x')]).toString('base64')}`;
    const { keys, leftOut } = pinnableKeys([
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
  it('is the wanted one, else that of the host unless any host would have it', () => {
    expect(nameOf('web 1', 'localhost')).toBe('web 1');
    expect(nameOf(null, 'ip-10-0-0-5.internal')).toBe('ip-10-0-0-5.internal');
    for (const name of ['', 'localhost', 'localhost.localdomain', 'LOCALHOST', '-x', 'a b', 'a\nkey b', '(none)'])
      expect(nameOf(null, name)).toBeNull();
    expect(nameOf(null, 'a'.repeat(253))).toHaveLength(100);
  });
});

describe('the answer to a host', () => {
  it('keeps names from adding lines and from steering a terminal', () => {
    const say = ['Registered as "a\nkey ssh-rsa AAAA\r\u001b[2J\u2028\u202e".', 'ä'];
    expect(answerText({ outcome: 'registered', say, key: 'ssh-ed25519 AAAA runward' })).toBe(
      'outcome registered\nsay Registered as "a key ssh-rsa AAAA [2J ".\nsay ä\nkey ssh-ed25519 AAAA runward\n',
    );
  });
});
