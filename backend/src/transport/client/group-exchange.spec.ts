import { getDiffieHellman } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { HostilePeerError } from '../ssh-errors.js';
import { GroupExchange } from './group-exchange.js';

const ZERO = Buffer.of(0);

describe('a group chosen by the server', () => {
  it.each(['modp14', 'modp16', 'modp18'])('derives the same secret on both sides: %s', (name) => {
    const server = getDiffieHellman(name);
    server.generateKeys();
    const client = new GroupExchange(Buffer.concat([ZERO, server.getPrime()]), server.getGenerator());
    const secret = client.computeSecret(Buffer.concat([ZERO, server.getPublicKey()]));
    expect(secret.equals(server.computeSecret(client.publicKey))).toBe(true);
    expect(client.getPrime()).toEqual(server.getPrime());
  });

  it.each([1024, 2047, 8193, 32_768])('is refused with %i bits', (bits) => {
    const prime = Buffer.alloc(Math.ceil(bits / 8), 0xff);
    prime[0] = 0xff >> (prime.length * 8 - bits);
    expect(() => new GroupExchange(prime, Buffer.of(2))).toThrow(HostilePeerError);
  });
});
