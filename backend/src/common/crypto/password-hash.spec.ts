import { describe, expect, it } from '@jest/globals';
import { getDummyHash, hashPassword, verifyPassword } from './password-hash.js';

describe('password hash', () => {
  it('matches only its own password', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword(hash, 'correct horse')).toBe(true);
    for (const other of ['Correct horse', 'correct horse ', 'correct hors', '', '\0correct horse']) {
      expect(await verifyPassword(hash, other)).toBe(false);
    }
  });

  it('is a PHC string with the parameters that OWASP recommends', async () => {
    expect(await hashPassword('x')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it('differs each time', async () => {
    expect(await hashPassword('x')).not.toBe(await hashPassword('x'));
  });

  it('verifies hashes of the argon2 reference implementation', async () => {
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await verifyPassword(reference, 'password')).toBe(true);
    expect(await verifyPassword(reference, 'passwork')).toBe(false);
  });

  it('treats a password typed with combining characters as equal', async () => {
    expect(await verifyPassword(await hashPassword('caf\u00e9'), 'cafe\u0301')).toBe(true);
  });

  it.each([
    '',
    'plain',
    '$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=16$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$',
    '$argon2id$v=19$m=7,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=19456,t=999,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=19456,t=2,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ])('that is damaged or too expensive matches nothing: %s', async (hash) => {
    expect(await verifyPassword(hash, 'password')).toBe(false);
  });

  it('for an unknown member costs the same and matches nothing', async () => {
    const dummy = await getDummyHash();
    expect(await getDummyHash()).toBe(dummy);
    const shape = (hash: string) => hash.split('$').map((part, index) => (index < 4 ? part : part.length));
    expect(shape(dummy)).toEqual(shape(await hashPassword('x')));
    expect(await verifyPassword(dummy, '')).toBe(false);
  });
});
