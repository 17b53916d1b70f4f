import type { RotateKeyRequest } from '../../../api/types';

export const KINDS = [
  { value: 'ed25519', label: 'Ed25519 (recommended)' },
  { value: 'ecdsa 256', label: 'ECDSA, 256 bits' },
  { value: 'ecdsa 521', label: 'ECDSA, 521 bits' },
  { value: 'rsa 3072', label: 'RSA, 3072 bits' },
  { value: 'rsa 4096', label: 'RSA, 4096 bits' },
];
export const ORIGINS = [
  { value: 'generate', label: 'Generate' },
  { value: 'import', label: 'Import' },
];

export interface KeyMaterial {
  origin: string;
  kind: string;
  privateKey: string;
  passphrase: string;
}

export const NO_MATERIAL: KeyMaterial = { origin: 'generate', kind: 'ed25519', privateKey: '', passphrase: '' };
/** Fields that the server can reject. */
export const MATERIAL_FIELDS: readonly string[] = ['privateKey', 'passphrase'];

export function materialOf({ origin, kind, privateKey, passphrase }: KeyMaterial): RotateKeyRequest {
  if (origin === 'import') return { privateKey, ...(passphrase ? { passphrase } : {}) };
  const [type, bits] = kind.split(' ') as ['ed25519' | 'rsa' | 'ecdsa', string?];
  return { generate: { type, ...(bits ? { bits: Number(bits) } : {}) } };
}
