import { describe, expect, it } from '@jest/globals';
import {
  hashSecret,
  mintSessionSecret,
  mintToken,
  parseSessionSecret,
  parseToken,
  readTokenPrefix,
} from './api-token.js';

describe('API tokens', () => {
  it('are parsed into the ID and the secret whose hash is stored', () => {
    for (let round = 0; round < 50; round += 1) {
      const { token, id, secretHash } = mintToken();
      expect(token).toMatch(/^runward_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      const parsed = parseToken(token);
      expect(parsed?.id).toBe(id);
      expect(hashSecret(parsed?.secret ?? '')).toEqual(secretHash);
    }
  });

  it('never repeat an ID or secret', () => {
    const minted = Array.from({ length: 200 }, mintToken);
    expect(new Set(minted.map(({ id }) => id)).size).toBe(200);
    expect(new Set(minted.map(({ secretHash }) => secretHash.toString('hex'))).size).toBe(200);
  });

  it('are rejected with one mistyped character at any position', () => {
    const { token } = mintToken();
    for (let at = 0; at < token.length; at += 1) {
      const wrong = token[at] === 'x' ? 'y' : 'x';
      expect(parseToken(token.slice(0, at) + wrong + token.slice(at + 1))).toBeNull();
    }
  });

  it('are rejected if cut, doubled, swapped or decorated', () => {
    const { token } = mintToken();
    for (let length = 0; length < token.length; length += 1) expect(parseToken(token.slice(0, length))).toBeNull();
    const parts = token.split('_');
    const bad = [
      ` ${token}`,
      `${token}\n`,
      token + token,
      token.toUpperCase(),
      `"${token}"`,
      [parts[0], parts[2], parts[1], parts[3]].join('_'),
    ];
    for (const text of bad) expect(parseToken(text)).toBeNull();
  });

  it('are listed without their secret', () => {
    const { token, id } = mintToken();
    expect(readTokenPrefix(token)).toBe(`runward_${id}`);
    expect(readTokenPrefix(token)).not.toContain(parseToken(token)?.secret.slice(0, 4));
  });

  it('keep their format, so that existing tokens stay valid', () => {
    const token = 'runward_000000000000_0000000000000000000000000000000000000000000_';
    const known = `${token}2s2Aun`;
    expect(parseToken(known)).toEqual({ id: '0'.repeat(12), secret: '0'.repeat(43) });
    expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('session secrets', () => {
  it('are parsed and stored as a hash', () => {
    const { secret, secretHash } = mintSessionSecret();
    expect(parseSessionSecret(secret)).toBe(secret);
    expect(hashSecret(secret)).toEqual(secretHash);
    expect(mintSessionSecret().secret).not.toBe(secret);
  });

  it('are distinct from mistyped ones and from API tokens', () => {
    const { secret } = mintSessionSecret();
    expect(parseSessionSecret(secret.slice(0, -1))).toBeNull();
    expect(parseSessionSecret(secret.replace(/_./, (text) => (text === '_x' ? '_y' : '_x')))).toBeNull();
    expect(parseSessionSecret(mintToken().token)).toBeNull();
    expect(parseToken(secret)).toBeNull();
  });
});
