import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { MasterKey } from '../common/crypto/master-key.js';
import { openSealedValue } from '../common/crypto/envelope.js';
import { AUDIT_KEY_CONTEXT, readInstallationKeys } from '../common/database/boot/installation.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';

/** Content of an audit entry without its position in the chain. Times are ISO 8601 with milliseconds, in UTC. */
export interface AuditEntryContent {
  id: string;
  tenantId: string;
  at: string;
  actorKind: 'user' | 'system' | 'anonymous';
  actorId: string | null;
  actorName: string | null;
  tokenPrefix: string | null;
  address: string | null;
  requestId: string | null;
  action: string;
  resourceType: string;
  resourceId: string | null;
  resourceName: string | null;
  before: unknown;
  after: unknown;
}

/** Entry with its position. The sequences of a tenant are 1, 2, 3 and so on. Each hash covers the previous hash. */
export interface ChainedEntry extends AuditEntryContent {
  sequence: number;
  hash: Buffer;
}

/** End of a tenant's chain. `hash` is the hash of the last entry; `seal` covers `sequence` and `hash`. */
export interface ChainHead {
  sequence: number;
  hash: Buffer;
  seal: Buffer;
}

export interface AuditChainFault {
  sequence: number;
  code: 'missing' | 'changed' | 'cut' | 'head_changed';
  message: string;
}

export const CHAIN_START_HASH = Buffer.alloc(32);

/**
 * Derives the key of the chain from the master key (HKDF, RFC 5869). The master key is outside the database, so an
 * attacker with write access to the database can't create valid hashes.
 */
export function deriveAuditKey(masterKey: MasterKey): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', masterKey.key, '', 'runward audit chain v1', 32)));
}

/**
 * Returns the hash of an entry: HMAC-SHA-256 over the previous hash, the sequence, and the content in canonical JSON
 * (RFC 8785).
 */
export function computeEntryHash(
  key: KeyObject,
  previous: Buffer,
  sequence: number,
  content: AuditEntryContent,
): Buffer {
  return createHmac('sha256', key)
    .update(previous)
    .update(`${sequence}\n`)
    .update(canonicalize(content) ?? '')
    .digest();
}

/** Returns the seal of a head, which an attacker can't forge. */
export function computeHeadSeal(key: KeyObject, tenantId: string, sequence: number, hash: Buffer): Buffer {
  return createHmac('sha256', key).update(`head ${tenantId} ${sequence}\n`).update(hash).digest();
}

/** Verifies a chain entry by entry. Keeps only the last entry in memory, so the chain can have any length. */
export class ChainVerifier {
  private sequence = 0;
  private previous: Buffer = CHAIN_START_HASH;

  constructor(private readonly key: KeyObject) {}

  get entries(): number {
    return this.sequence;
  }

  /** Verifies the next entry in sequence. @returns its fault; null: valid */
  verifyNextEntry(entry: ChainedEntry): AuditChainFault | null {
    const expected = this.sequence + 1;
    if (entry.sequence !== expected) {
      return {
        sequence: expected,
        code: 'missing',
        message: `Entry ${expected} is missing; the next one is ${entry.sequence}.`,
      };
    }
    const { sequence, hash, ...content } = entry;
    if (!computeEntryHash(this.key, this.previous, sequence, content).equals(hash)) {
      return {
        sequence,
        code: 'changed',
        message: `Entry ${sequence} was changed or moved.`,
      };
    }
    this.sequence = sequence;
    this.previous = hash;
    return null;
  }

  /** Verifies the head after the last entry. @param head null: the tenant has no entries */
  verifyChainEnd(tenantId: string, head: ChainHead | null): AuditChainFault | null {
    if (!head) {
      return this.sequence === 0
        ? null
        : { sequence: this.sequence, code: 'head_changed', message: 'The head of the chain is missing.' };
    }
    if (!computeHeadSeal(this.key, tenantId, head.sequence, head.hash).equals(head.seal)) {
      return {
        sequence: head.sequence,
        code: 'head_changed',
        message: 'The head of the chain was changed.',
      };
    }
    if (head.sequence !== this.sequence || !head.hash.equals(this.previous)) {
      return {
        sequence: this.sequence + 1,
        code: 'cut',
        message: `The chain ends at entry ${this.sequence}, but its head records ${head.sequence}.`,
      };
    }
    return null;
  }
}

/**
 * Returns the key of all audit chains. It is derived from the first master key. Later changes of the master key keep
 * it, because existing chains can't be rewritten: it is then stored in the database, sealed.
 * @param sealed stored key; null: the master key was never changed
 */
export const openAuditKey = (masterKey: MasterKey, sealed: Buffer | null): KeyObject =>
  sealed ? createSecretKey(openSealedValue(masterKey, sealed, AUDIT_KEY_CONTEXT)) : deriveAuditKey(masterKey);

@Injectable()
export class AuditKey implements OnModuleInit {
  private key: KeyObject | null = null;

  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  async onModuleInit(): Promise<void> {
    const keys = await this.units.runWithoutTenant((tx) => readInstallationKeys(tx));
    this.key = openAuditKey(this.runtime.masterKey, keys?.audit ?? null);
  }

  get value(): KeyObject {
    if (!this.key) throw new Error('The audit key was requested before the start.');
    return this.key;
  }
}
