import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { invalidRequest } from '../common/errors/problem.js';
import { newId } from '../common/ids.js';
import { type KeyMaterial, KeyMaterialError } from '../transport/keys/key-material.js';
import { KeyThreads } from '../transport/keys/key-threads.js';
import { KeyVault } from './key-vault.js';
import type { GenerateKeyRequest, KeyContent } from './keys.dto.js';
import { SshKey } from './ssh-key.entity.js';

const KEY_BITS_BY_TYPE: Record<GenerateKeyRequest['type'], number[]> = {
  ed25519: [],
  rsa: [3072, 4096],
  ecdsa: [256, 384, 521],
};

@Injectable()
export class KeyCreator {
  constructor(
    private readonly vault: KeyVault,
    private readonly threads: KeyThreads,
  ) {}

  /**
   * Generates or imports a key without storing it. Slow: do not call it within a transaction.
   * @throws Problem 400 if the request does not have exactly one of `generate` and `privateKey`, or the key is not
   *   usable; 429 `too_many_at_once`; 503 `busy`
   */
  createMaterial(caller: Principal, request: KeyContent & { name: string }): Promise<KeyMaterial> {
    return createKeyMaterial(caller, request, this.threads);
  }

  /** @returns ID of the new record. @throws database error if the name is in use */
  async insertKey(tx: EntityManager, { tenantId }: Principal, name: string, material: KeyMaterial): Promise<string> {
    const id = newId();
    const { type, publicKey, fingerprint, privateKey } = material;
    await tx.getRepository(SshKey).insert({
      id,
      tenantId,
      name,
      type,
      publicKey,
      fingerprint,
      sealedPrivateKey: this.vault.sealPrivateKey(tenantId, id, privateKey),
    });
    return id;
  }
}

/**
 * @throws Problem 400 if the request does not have exactly one of `generate` and `privateKey`, or the key is not usable
 */
async function createKeyMaterial(
  { tenantId }: Principal,
  request: KeyContent & { name: string },
  threads: KeyThreads,
): Promise<KeyMaterial> {
  const { generate, privateKey, passphrase } = request;
  if ((generate === undefined) === (privateKey === undefined)) {
    throw invalidRequest([
      {
        path: '',
        code: 'generate_or_import',
        message: 'Send either "generate" to make a new key or "privateKey" to import one.',
      },
    ]);
  }
  if (generate) {
    if (passphrase !== undefined) {
      throw invalidRequest([
        {
          path: '/passphrase',
          code: 'not_applicable',
          message: 'A passphrase is only valid for an imported private key.',
        },
      ]);
    }
    const allowed = KEY_BITS_BY_TYPE[generate.type];
    if (generate.bits !== undefined && !allowed.includes(generate.bits)) {
      const advice =
        allowed.length > 0
          ? `bits must be one of ${allowed.join(', ')} for ${generate.type}.`
          : `${generate.type} takes no bits.`;
      throw invalidRequest([{ path: '/generate/bits', code: 'not_allowed_value', message: advice }]);
    }
    return threads.generate(tenantId, {
      type: generate.type,
      bits: generate.bits,
      comment: `runward ${request.name}`,
    });
  }
  try {
    return await threads.import(tenantId, privateKey ?? '', passphrase);
  } catch (error) {
    if (!(error instanceof KeyMaterialError)) throw error;
    const path =
      error.code === 'passphrase_required' || error.code === 'wrong_passphrase' ? '/passphrase' : '/privateKey';
    throw invalidRequest([{ path, code: error.code, message: error.message }]);
  }
}
