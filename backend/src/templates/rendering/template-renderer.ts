import { Injectable } from '@nestjs/common';
import { MAX_CONTENT_BYTES } from '../../common/library/library-kind.js';
import {
  JobEnded,
  threadFile,
  type ThreadJob,
  ThreadPool,
  type ThreadShare,
} from '../../common/threads/thread-pool.js';
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
const LIMITS = { renderMs: RENDER_MS, memory: MEMORY, length: MAX_CONTENT_BYTES };

const JOB: ThreadJob<ThreadRequest, ThreadAnswer> = {
  file: threadFile('./template-thread', import.meta.url),
  runMs: KILL_MS,
};

/** Renders whole files on behalf of somebody. Both may wait long for a thread: never within a transaction. */
export interface Renderer {
  /** Which facts the template looks at. @throws TemplateError when it is none; Problem 429 `too_many_at_once`, 503 `busy` */
  check(content: string): Promise<TemplateNeeds & { names: readonly string[] }>;
  /** The file with its values in place. @throws TemplateError; Problem 429 `too_many_at_once`, 503 `busy` */
  render(request: TemplateRequest): Promise<string>;
}

/** Renders whole files in the pool of threads: a template that takes too long is stopped with its thread. */
@Injectable()
export class TemplateRenderer {
  constructor(private readonly threads: ThreadPool) {}

  /** A renderer whose work counts against this share of the threads. */
  of(share: ThreadShare): Renderer {
    const ask = (content: string, scope: ThreadRequest['scope']) => this.ask({ content, scope, limits: LIMITS }, share);
    return {
      check: async (content) => {
        const { names } = await ask(content, null);
        return { host: names.includes('host'), steps: names.includes('steps'), names };
      },
      render: async (request) => {
        const { text } = await ask(request.content, scopeOf(request));
        if (/[\0\p{Surrogate}]/u.test(text))
          throw new TemplateError('invalid_value', 'The rendered file holds a NUL or half of a character.');
        return text;
      },
    };
  }

  private async ask(request: ThreadRequest, share: ThreadShare): Promise<Extract<ThreadAnswer, { ok: true }>> {
    const answer = await this.threads.run(JOB, request, share).catch((error: unknown) => {
      if (!(error instanceof JobEnded)) throw error;
      throw new TemplateError('too_much', 'Rendering the template takes too much time or memory.');
    });
    if (!answer.ok) throw new TemplateError(answer.code, answer.message);
    return answer;
  }
}

function scopeOf({ values, facts, secrets }: TemplateRequest): NonNullable<ThreadRequest['scope']> {
  const masked = secrets === 'masked';
  const given = values.filter(({ value, secret }) => value !== null || (secret && masked));
  return {
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
}

/** Without what is null: a template that asks for it is told that it is not defined. */
const defined = (steps: Readonly<Record<string, object>>): Record<string, object> =>
  Object.fromEntries(
    Object.entries(steps).map(([key, facts]) => [
      key,
      Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)),
    ]),
  );
