import { describe, expect, it } from 'vitest';
import { KINDS, materialOf, NO_MATERIAL } from './key-material';

describe('where a key comes from', () => {
  it('is sent as a type, with its bits where the type has several', () => {
    const sent = KINDS.map(({ value }) => materialOf({ ...NO_MATERIAL, kind: value }).generate);
    expect(sent).toEqual([
      { type: 'ed25519' },
      { type: 'ecdsa', bits: 256 },
      { type: 'ecdsa', bits: 521 },
      { type: 'rsa', bits: 3072 },
      { type: 'rsa', bits: 4096 },
    ]);
  });

  it('is the text of a private key, with a passphrase only where one was typed', () => {
    const imported = { ...NO_MATERIAL, origin: 'import', privateKey: 'text' };
    expect(materialOf(imported)).toEqual({ privateKey: 'text' });
    expect(materialOf({ ...imported, passphrase: 'p' })).toEqual({ privateKey: 'text', passphrase: 'p' });
  });
});
