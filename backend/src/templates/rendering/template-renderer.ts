import { Injectable } from '@nestjs/common';
import { MAX_CONTENT_BYTES } from '../../library/library-kind.js';
import {
  JobEndedError,
  toThreadFileUrl,
  type ThreadJob,
  ThreadPool,
  type ThreadShare,
} from '../../common/threads/thread-pool.js';
import { toSecretMask } from '../../variables/secret-mask.js';
import { toValueText } from '../../variables/variable-value.js';
import compareTexts from './compare-thread.js';
import { RenderBatches } from './render-batches.js';
import {
  TemplateError,
  type CompareRequest,
  type TemplateNeeds,
  type TemplateRequest,
  type TemplateValue,
  type ThreadAnswer,
  type ThreadFile,
  type ThreadRequest,
  type ThreadScope,
  type UnknownName,
} from './template-request.js';

/**
 * Rendering a usual file takes a few ms. The engine stops after the first limit, and the thread is killed after the
 * second, in ms.
 */
const RENDER_MS = 1000;
const KILL_MS = 3000;
/** Duration after which a job ends early, in ms, so that others can use its thread. */
const JOB_MS = 250;
/** Limit of characters and list items per rendering, and of characters in its result. */
const MEMORY = 2_000_000;
const LIMITS = { renderMs: RENDER_MS, memory: MEMORY, length: MAX_CONTENT_BYTES, jobMs: JOB_MS, jobLength: MEMORY };

const JOB: ThreadJob<ThreadRequest, ThreadAnswer> = {
  file: toThreadFileUrl('./template-thread', import.meta.url),
  runMs: KILL_MS,
};

/** Limit of a comparison, in ms. Beyond it, only the fact that the texts differ is reported. */
const COMPARE_MS = 2000;
/**
 * Short texts with few differences are compared without a thread, in about 1 ms. Passing data to a thread and back
 * costs more.
 */
const SHORT_TEXT_LIMITS = { characters: 32_768, lines: 1000, edits: 200 };
const COMPARISON: ThreadJob<CompareRequest, string | null> = {
  file: toThreadFileUrl('./compare-thread', import.meta.url),
  runMs: 2 * COMPARE_MS,
};

type ComparedTextsRequest = Omit<CompareRequest, 'timeoutMs' | 'maxEdits'>;

/**
 * Renders files within one share of the thread pool. All methods may wait long for a thread, so never call them in a
 * transaction.
 */
export interface Renderer {
  /**
   * Returns the facts and names that the template uses. @throws TemplateError if the template is invalid; Problem 429
   * `too_many_at_once`, 503 `busy`
   */
  check(content: string): Promise<TemplateNeeds & { names: readonly string[] }>;
  /** @throws TemplateError; Problem 429 `too_many_at_once`, 503 `busy` */
  render(request: TemplateRequest): Promise<string>;
  /** Like `render`, but marks undefined names and returns them too. @throws as `render` */
  renderMarked(request: TemplateRequest): Promise<{ text: string; unknown: readonly UnknownName[] }>;
  /** Returns a unified diff; null: too many differences. @throws Problem 429 `too_many_at_once`, 503 `busy` */
  compare(request: ComparedTextsRequest): Promise<string | null>;
}

/** Renders files in a pool of threads. A template that takes too long is stopped together with its thread. */
@Injectable()
export class TemplateRenderer {
  constructor(private readonly threads: ThreadPool) {}

  /** Returns a renderer within this share of the thread pool. It batches concurrent files of one template. */
  of(share: ThreadShare): Renderer {
    const batches = new RenderBatches<ThreadScope>(
      async (content, scopes) =>
        (await this.runJob({ content, scopes, marksUnknownNames: false, limits: LIMITS }, share)).files,
      this.threads.perTenant,
      (error) => error instanceof TemplateError && error.code === 'too_much',
    );
    const shared = new WeakMap<readonly TemplateValue[], Values>();
    return {
      check: async (content) => {
        const { names } = await this.runJob({ content, scopes: [], marksUnknownNames: false, limits: LIMITS }, share);
        return { host: names.includes('host'), steps: names.includes('steps'), names };
      },
      render: async (request) => textOf(await batches.file(request.content, scopeOf(request, shared))),
      renderMarked: async (request) => {
        const scopes = [scopeOf(request, shared)];
        const job = { content: request.content, scopes, marksUnknownNames: true, limits: LIMITS };
        const { files, unknown } = await this.runJob(job, share);
        return { text: textOf(files[0]), unknown };
      },
      compare: (request) => this.compare(request, share),
    };
  }

  private async compare(request: ComparedTextsRequest, share: ThreadShare): Promise<string | null> {
    const found = isShort(request)
      ? compareTexts({ ...request, timeoutMs: COMPARE_MS, maxEdits: SHORT_TEXT_LIMITS.edits })
      : null;
    if (found !== null) return found;
    return this.threads.run(COMPARISON, { ...request, timeoutMs: COMPARE_MS }, share).catch((error: unknown) => {
      if (error instanceof JobEndedError) return null;
      throw error;
    });
  }

  private async runJob(request: ThreadRequest, share: ThreadShare): Promise<Extract<ThreadAnswer, { ok: true }>> {
    const answer = await this.threads.run(JOB, request, share).catch((error: unknown) => {
      if (!(error instanceof JobEndedError)) throw error;
      throw new TemplateError('too_much', 'Rendering the template takes too much time or memory.');
    });
    if (!answer.ok) throw new TemplateError(answer.fault.code, answer.fault.message, answer.fault.position);
    return answer;
  }
}

const isShort = ({ before, after }: Pick<CompareRequest, 'before' | 'after'>): boolean =>
  before.length + after.length <= SHORT_TEXT_LIMITS.characters &&
  before.split('\n').length + after.split('\n').length <= SHORT_TEXT_LIMITS.lines;

function textOf(file: ThreadFile | undefined): string {
  if (!file) throw new Error('The thread made no file.');
  if ('fault' in file) throw new TemplateError(file.fault.code, file.fault.message, file.fault.position);
  if (/[\0\p{Surrogate}]/u.test(file.text))
    throw new TemplateError('invalid_value', 'The rendered file holds a NUL or half of a character.');
  return file.text;
}

type Values = Map<TemplateRequest['secrets'], Pick<ThreadScope, 'values' | 'secrets'>>;

/** Hosts with equal values share one object, which is therefore copied to the thread only once. */
function scopeOf(request: TemplateRequest, shared: WeakMap<readonly TemplateValue[], Values>): ThreadScope {
  const { values, facts, secrets } = request;
  const known: Values =
    shared.get(values) ?? new Map<TemplateRequest['secrets'], Pick<ThreadScope, 'values' | 'secrets'>>();
  shared.set(values, known);
  const given = known.get(secrets) ?? valuesOf(request);
  known.set(secrets, given);
  return {
    ...given,
    facts: {
      ...(facts?.host ? { host: facts.host } : {}),
      ...(facts?.steps ? { steps: withoutUndefined(facts.steps) } : {}),
    },
    masked: secrets === 'masked',
  };
}

function valuesOf({ values, secrets }: TemplateRequest): Pick<ThreadScope, 'values' | 'secrets'> {
  const masked = secrets === 'masked';
  const given = values.filter(({ value, secret }) => value !== null || (secret && masked));
  return {
    values: Object.fromEntries(given.filter(({ secret }) => !secret).map(({ name, value }) => [name, value])),
    secrets: Object.fromEntries(
      given
        .filter(({ secret }) => secret)
        .map(({ name, value }) => [name, masked || value === null ? toSecretMask(name) : toValueText(value)]),
    ),
  };
}

/** Omits null fields, so that a template that uses one gets an error for an undefined variable. */
const withoutUndefined = (steps: Readonly<Record<string, object>>): Record<string, object> =>
  Object.fromEntries(
    Object.entries(steps).map(([key, facts]) => [
      key,
      Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)),
    ]),
  );
