import { Injectable } from '@nestjs/common';
import { JobEnded, threadFile, type ThreadJob, ThreadPool } from '../../common/threads/thread-pool.js';
import {
  type GenerateKeyOptions,
  generateKeyPair,
  importPrivateKey,
  type KeyMaterial,
  KeyMaterialError,
  type KeyWork,
  TOO_COSTLY_TEXT,
} from './key-material.js';
import type { KeyAnswer, KeyRequest } from './key-thread.js';

const file = threadFile('./key-thread', import.meta.url);
const READ: ThreadJob<KeyRequest, KeyAnswer> = { file, runMs: 10_000 };
/** A fixed limit suffices: the time to find two primes is random, but does not depend on user input. */
const GENERATE: ThreadJob<KeyRequest, KeyAnswer> = { file, runMs: 120_000 };

/** Generates and reads keys in the thread pool, so that no pasted text blocks the process. */
@Injectable()
export class KeyThreads {
  constructor(private readonly threads: ThreadPool) {}

  /** @throws KeyMaterialError; Problem 429 `too_many_at_once`, 503 `busy` */
  generate(tenantId: string, options: GenerateKeyOptions): Promise<KeyMaterial> {
    return generateKeyPair(options, this.workFor(tenantId));
  }

  /** @throws KeyMaterialError; Problem 429 `too_many_at_once`, 503 `busy` */
  import(tenantId: string, text: string, passphrase?: string): Promise<KeyMaterial> {
    return importPrivateKey(text, passphrase, this.workFor(tenantId));
  }

  private workFor(tenantId: string): KeyWork {
    return (request) =>
      this.threads
        .run(request.kind === 'generate' ? GENERATE : READ, request, { tenantId, asks: 'request' })
        .catch((error: unknown) => {
          throw error instanceof JobEnded ? new KeyMaterialError('unsupported_key', TOO_COSTLY_TEXT) : error;
        });
  }
}
