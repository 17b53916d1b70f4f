import { Injectable } from '@nestjs/common';
import {
  type ThreadFile,
  TemplateError,
  type CompareRequest,
  type TemplateNeeds,
  type TemplateRequest,
  type TemplateValue,
  type ThreadAnswer,
  type ThreadRequest,
  type ThreadScope,
  type UnknownName,
} from './template-request.js';
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

const MAX_FILES = 32;
/**
 * Starting a thread takes about 100 ms of CPU time, in which a running thread renders thousands of usual files. A
 * second job therefore starts only if the last job took longer than the first limit, or one has run longer than the
 * second limit, in ms.
 */
const MIN_SPLIT_MS = 50;
const PATIENCE_MS = 500;

interface PendingFile<Scope> {
  readonly scope: Scope;
  readonly resolve: (file: ThreadFile) => void;
  readonly reject: (error: unknown) => void;
}

/** Renders files of one template. May return fewer than requested, but at least one. */
export type RenderFiles<Scope> = (content: string, scopes: readonly Scope[]) => Promise<readonly ThreadFile[]>;

/**
 * Batches concurrent requests for the same template, so that a thread parses it once for many hosts. While all jobs
 * run, further requests wait for the next job.
 */
export class RenderBatches<Scope> {
  private readonly waiting = new Map<string, PendingFile<Scope>[]>();
  private running = 0;
  private scheduled = false;
  /** Duration of the last job, in ms. The first job counts as 0, because it includes starting a thread. */
  private lastMs: number | null = null;
  private slowBatchCount = 0;

  constructor(
    private readonly make: RenderFiles<Scope>,
    private readonly mostJobs: number,
    /** Whether the error means that the job's thread was stopped. The job's files are then rendered one by one. */
    private readonly isStopError: (error: unknown) => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws errors of {@link RenderFiles} */
  file(content: string, scope: Scope): Promise<ThreadFile> {
    return new Promise((resolve, reject) => {
      const pending = this.waiting.get(content) ?? [];
      if (pending.length === 0) this.waiting.set(content, pending);
      pending.push({ scope, resolve, reject });
      this.schedule();
    });
  }

  /** Collects the requests of one turn of the event loop. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.start();
    });
  }

  private start(): void {
    const jobs = this.slowBatchCount > 0 || (this.lastMs ?? 0) > MIN_SPLIT_MS ? this.mostJobs : 1;
    while (this.running < jobs) {
      const [next] = this.waiting;
      if (!next) return;
      const [content, pending] = next;
      // Divides the waiting files among the jobs that may run.
      const part = Math.min(MAX_FILES, Math.ceil(pending.length / (jobs - this.running)));
      const taken = pending.splice(0, part);
      this.waiting.delete(content);
      if (pending.length > 0) this.waiting.set(content, pending);
      this.running += 1;
      void this.runTimed(() => this.renderPending(content, taken)).finally(() => {
        this.running -= 1;
        this.schedule();
      });
    }
  }

  private async runTimed(job: () => Promise<void>): Promise<void> {
    const from = this.now();
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slowBatchCount += 1;
      this.schedule();
    }, PATIENCE_MS);
    try {
      await job();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.slowBatchCount -= 1;
      this.lastMs = this.lastMs === null ? 0 : this.now() - from;
    }
  }

  private async renderPending(content: string, pending: readonly PendingFile<Scope>[]): Promise<void> {
    let rest = pending;
    let limit = pending.length;
    while (rest.length > 0) {
      const batch = rest.slice(0, limit);
      try {
        const files = await this.make(
          content,
          batch.map(({ scope }) => scope),
        );
        files.forEach((file, index) => batch[index]?.resolve(file));
        rest = rest.slice(Math.max(1, files.length));
      } catch (error) {
        if (this.isStopError(error) && limit > 1) {
          limit = 1;
          continue;
        }
        for (const file of batch) file.reject(error);
        rest = rest.slice(batch.length);
      }
    }
  }
}

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
