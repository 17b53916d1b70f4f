import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { generateMasterKey, parseMasterKey } from './master-key.js';

describe('master key', () => {
  it('is read back as generated', () => {
    const { masterKey, base64 } = generateMasterKey();
    expect(base64).toHaveLength(44);
    expect(parseMasterKey(base64).key).toEqual(masterKey.key);
    expect(parseMasterKey(base64).id).toBe(masterKey.id);
  });

  it('has its own stable ID', () => {
    const zeroKey = Buffer.alloc(32).toString('base64');
    expect(parseMasterKey(zeroKey).id).toBe(parseMasterKey(zeroKey).id);
    expect(parseMasterKey(zeroKey).id).toMatch(/^[0-9a-f]{16}$/);
    expect(generateMasterKey().masterKey.id).not.toBe(generateMasterKey().masterKey.id);
  });

  it('is not contained in the printed object', () => {
    const { masterKey, base64 } = generateMasterKey();
    for (const text of [JSON.stringify(masterKey), inspect(masterKey), JSON.stringify({ ...masterKey })]) {
      expect(text).toContain(masterKey.id);
      expect(text).not.toContain('key:');
      expect(text).not.toContain(base64.slice(0, 8));
      expect(text).not.toContain(masterKey.key.toString('hex').slice(0, 8));
    }
  });

  it.each([0, 16, 31, 33, 64])('refuses %i bytes and names the required length', (length) => {
    const text = Buffer.alloc(length, 1).toString('base64');
    expect(() => parseMasterKey(text)).toThrow(`The master key has ${length} bytes, but needs exactly 32`);
  });

  it.each([
    ['a passphrase', 'correct horse battery staple correct horse!'],
    ['hexadecimal with a blank', `${'ab'.repeat(31)} cd`],
    ['base64 without padding', Buffer.alloc(32, 1).toString('base64').replace('=', '')],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url')],
    ['stray bits at the end', `${'A'.repeat(42)}B=`],
    ['a line end', `${Buffer.alloc(32, 1).toString('base64')}\n`],
  ])('refuses %s without repeating it', (_name, text) => {
    expect(() => parseMasterKey(text)).toThrow('The master key is not base64');
    expect(() => parseMasterKey(text)).not.toThrow(text.trim());
  });
});
