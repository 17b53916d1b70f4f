import { Worker } from 'node:worker_threads';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { MAX_CONTENT_BYTES } from '../../common/library/library-kind.js';
import { maskOf } from '../../common/variables/secret-mask.js';
import { valueText } from '../../common/variables/variable-value.js';
import {
  TemplateError,
  type TemplateNeeds,
  type TemplateRequest,
  type ThreadAnswer,
  type ThreadRequest,
} from './template-request.js';

/** A usual file takes a few ms; the engine gives up after the first, the thread is ended after the second. */
const RENDER_MS = 1000;
const KILL_MS = 3000;
/** Characters and list items that one rendering may make, and characters of its result. */
const MEMORY = 2_000_000;
const HEAP_MB = 96;
const LIMITS = { renderMs: RENDER_MS, memory: MEMORY, length: MAX_CONTENT_BYTES };

const tooMuch = () => new TemplateError('too_much', 'Rendering the template takes too much time or memory.');

/**
 * Renders whole files in a thread of its own, one after the other: a template that takes too long is stopped with its
 * thread, and nothing else waits for it but other templates.
 */
@Injectable()
export class TemplateRenderer implements OnModuleDestroy {
  /** After so many ms without an answer the thread is ended. */
  protected killMs = KILL_MS;
  private thread: Worker | null = null;
  private last: Promise<unknown> = Promise.resolve();

  /** Which facts the template looks at. @throws TemplateError when it is none */
  async check(content: string): Promise<TemplateNeeds & { names: readonly string[] }> {
    const { names } = await this.ask({ content, scope: null, limits: LIMITS });
    return { host: names.includes('host'), steps: names.includes('steps'), names };
  }

  /** The file with its values in place. @throws TemplateError */
  async render({ content, values, facts, secrets }: TemplateRequest): Promise<string> {
    const masked = secrets === 'masked';
    const given = values.filter(({ value, secret }) => value !== null || (secret && masked));
    const scope = {
      values: {
        ...(facts?.host ? { host: facts.host } : {}),
        ...(facts?.steps ? { steps: defined(facts.steps) } : {}),
        ...Object.fromEntries(given.filter(({ secret }) => !secret).map(({ name, value }) => [name, value])),
      },
      secrets: Object.fromEntries(
        given
          .filter(({ secret }) => secret)
          .map(({ name, value }) => [name, masked || value === null ? maskOf(name) : valueText(value)]),
      ),
      masked,
    };
    const { text } = await this.ask({ content, scope, limits: LIMITS });
    if (/[\0\p{Surrogate}]/u.test(text))
      throw new TemplateError('invalid_value', 'The rendered file holds a NUL or half of a character.');
    return text;
  }

  async onModuleDestroy(): Promise<void> {
    await this.thread?.terminate();
  }

  private ask(request: ThreadRequest): Promise<Extract<ThreadAnswer, { ok: true }>> {
    const answer = this.last.then(() => this.exchange(request));
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private exchange(request: ThreadRequest): Promise<Extract<ThreadAnswer, { ok: true }>> {
    const thread = (this.thread ??= startThread());
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        thread.off('message', answered).off('error', failed).off('exit', ended);
        end();
      };
      const drop = (error: Error): void => {
        this.thread = null;
        settle(() => reject(error));
        // Nobody listens to it any more; without a listener an error would end the process.
        thread.on('error', () => undefined);
        void thread.terminate();
      };
      const answered = (answer: ThreadAnswer): void =>
        settle(() => (answer.ok ? resolve(answer) : reject(new TemplateError(answer.code, answer.message))));
      const failed = (error: NodeJS.ErrnoException): void =>
        drop(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : error);
      const ended = (): void => drop(new Error('The thread that renders templates ended.'));
      const timer = setTimeout(() => drop(tooMuch()), this.killMs);
      thread.on('message', answered).on('error', failed).on('exit', ended);
      thread.postMessage(request);
    });
  }
}

function startThread(): Worker {
  // The same ending as this file's: Node.js runs either.
  const file = new URL(`./template-thread${/\.\w+$/.exec(import.meta.url)?.[0] ?? '.js'}`, import.meta.url);
  const thread = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: 4 } });
  thread.unref();
  return thread;
}

/** Without what is null: a template that asks for it is told that it is not defined. */
const defined = (steps: Readonly<Record<string, object>>): Record<string, object> =>
  Object.fromEntries(
    Object.entries(steps).map(([key, facts]) => [
      key,
      Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)),
    ]),
  );
