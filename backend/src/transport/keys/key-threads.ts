import { Injectable } from '@nestjs/common';
import { JobEndedError, toThreadFileUrl, type ThreadJob, ThreadPool } from '../../common/threads/thread-pool.js';
import {
  type GenerateKeyOptions,
  generateKeyPair,
  importPrivateKey,
  type KeyMaterial,
  KeyMaterialError,
  type KeyRequestHandler,
  TOO_COSTLY_MESSAGE,
} from './key-material.js';
import type { KeyAnswer, KeyRequest } from './key-thread.js';

const KEY_THREAD_FILE = toThreadFileUrl('./key-thread', import.meta.url);
const READ_KEY_JOB: ThreadJob<KeyRequest, KeyAnswer> = { file: KEY_THREAD_FILE, runMs: 10_000 };
/** A fixed limit suffices: the time to find two primes is random, but does not depend on user input. */
const GENERATE_KEY_JOB: ThreadJob<KeyRequest, KeyAnswer> = { file: KEY_THREAD_FILE, runMs: 120_000 };

/** Generates and reads keys in the thread pool, so that no pasted text blocks the process. */
@Injectable()
export class KeyThreads {
  constructor(private readonly threads: ThreadPool) {}

  /** @throws KeyMaterialError; Problem 429 `too_many_at_once`, 503 `busy` */
  generate(tenantId: string, options: GenerateKeyOptions): Promise<KeyMaterial> {
    return generateKeyPair(options, this.createHandlerFor(tenantId));
  }

  /** @throws KeyMaterialError; Problem 429 `too_many_at_once`, 503 `busy` */
  import(tenantId: string, text: string, passphrase?: string): Promise<KeyMaterial> {
    return importPrivateKey(text, passphrase, this.createHandlerFor(tenantId));
  }

  private createHandlerFor(tenantId: string): KeyRequestHandler {
    return (request) =>
      this.threads
        .run(request.kind === 'generate' ? GENERATE_KEY_JOB : READ_KEY_JOB, request, { tenantId, asks: 'request' })
        .catch((error: unknown) => {
          throw error instanceof JobEndedError ? new KeyMaterialError('unsupported_key', TOO_COSTLY_MESSAGE) : error;
        });
  }
}
