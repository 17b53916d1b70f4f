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

/** A usual file takes a few ms; the engine gives up after the first, the thread is ended after the second. */
const RENDER_MS = 1000;
const KILL_MS = 3000;
/** A job that has made files for so long gives back its thread, which others wait for. */
const JOB_MS = 250;
/** Characters and list items that one rendering may make, and characters of its result. */
const MEMORY = 2_000_000;
const LIMITS = { renderMs: RENDER_MS, memory: MEMORY, length: MAX_CONTENT_BYTES, jobMs: JOB_MS, jobLength: MEMORY };

const JOB: ThreadJob<ThreadRequest, ThreadAnswer> = {
  file: threadFile('./template-thread', import.meta.url),
  runMs: KILL_MS,
};

/** A difference that takes longer to find is told without its lines. */
const COMPARE_MS = 2000;
/**
 * Two short texts that differ little are compared here, in about a ms at most: what a thread is handed and gives back costs
 * more than that.
 */
const SHORT = { characters: 32_768, lines: 1000, edits: 200 };
const COMPARISON: ThreadJob<CompareRequest, string | null> = {
  file: threadFile('./compare-thread', import.meta.url),
  runMs: 2 * COMPARE_MS,
};

type Compared = Omit<CompareRequest, 'timeoutMs' | 'mostEdits'>;

/** Renders whole files on behalf of somebody. All may wait long for a thread: never within a transaction. */
export interface Renderer {
  /** Which facts the template looks at. @throws TemplateError when it is none; Problem 429 `too_many_at_once`, 503 `busy` */
  check(content: string): Promise<TemplateNeeds & { names: readonly string[] }>;
  /** The file with its values in place. @throws TemplateError; Problem 429 `too_many_at_once`, 503 `busy` */
  render(request: TemplateRequest): Promise<string>;
  /** The same with a mark where a name has no value, and these names. @throws as `render` */
  sketch(request: TemplateRequest): Promise<{ text: string; unknown: readonly UnknownName[] }>;
  /** A unified diff; null where they differ too much. @throws Problem 429 `too_many_at_once`, 503 `busy` */
  compare(request: Compared): Promise<string | null>;
}

/** Renders whole files in the pool of threads: a template that takes too long is stopped with its thread. */
@Injectable()
export class TemplateRenderer {
  constructor(private readonly threads: ThreadPool) {}

  /** A renderer whose work counts against this share of the threads; many files of one template are made together. */
  of(share: ThreadShare): Renderer {
    const batches = new RenderBatches<ThreadScope>(
      async (content, scopes) => (await this.ask({ content, scopes, markUnknown: false, limits: LIMITS }, share)).files,
      this.threads.perTenant,
      (error) => error instanceof TemplateError && error.code === 'too_much',
    );
    const shared = new WeakMap<readonly TemplateValue[], Values>();
    return {
      check: async (content) => {
        const { names } = await this.ask({ content, scopes: [], markUnknown: false, limits: LIMITS }, share);
        return { host: names.includes('host'), steps: names.includes('steps'), names };
      },
      render: async (request) => textOf(await batches.file(request.content, scopeOf(request, shared))),
      sketch: async (request) => {
        const scopes = [scopeOf(request, shared)];
        const asked = { content: request.content, scopes, markUnknown: true, limits: LIMITS };
        const { files, unknown } = await this.ask(asked, share);
        return { text: textOf(files[0]), unknown };
      },
      compare: (request) => this.compare(request, share),
    };
  }

  private async compare(request: Compared, share: ThreadShare): Promise<string | null> {
    const found = isShort(request) ? compareTexts({ ...request, timeoutMs: COMPARE_MS, mostEdits: SHORT.edits }) : null;
    if (found !== null) return found;
    return this.threads.run(COMPARISON, { ...request, timeoutMs: COMPARE_MS }, share).catch((error: unknown) => {
      if (error instanceof JobEnded) return null;
      throw error;
    });
  }

  private async ask(request: ThreadRequest, share: ThreadShare): Promise<Extract<ThreadAnswer, { ok: true }>> {
    const answer = await this.threads.run(JOB, request, share).catch((error: unknown) => {
      if (!(error instanceof JobEnded)) throw error;
      throw new TemplateError('too_much', 'Rendering the template takes too much time or memory.');
    });
    if (!answer.ok) throw new TemplateError(answer.fault.code, answer.fault.message, answer.fault.place);
    return answer;
  }
}

const isShort = ({ before, after }: Pick<CompareRequest, 'before' | 'after'>): boolean =>
  before.length + after.length <= SHORT.characters &&
  before.split('\n').length + after.split('\n').length <= SHORT.lines;

function textOf(file: ThreadFile | undefined): string {
  if (!file) throw new Error('The thread made no file.');
  if ('fault' in file) throw new TemplateError(file.fault.code, file.fault.message, file.fault.place);
  if (/[\0\p{Surrogate}]/u.test(file.text))
    throw new TemplateError('invalid_value', 'The rendered file holds a NUL or half of a character.');
  return file.text;
}

type Values = Map<TemplateRequest['secrets'], Pick<ThreadScope, 'values' | 'secrets'>>;

/** Hosts with the same values share them, also on their way to the thread. */
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
      ...(facts?.steps ? { steps: defined(facts.steps) } : {}),
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
        .map(({ name, value }) => [name, masked || value === null ? maskOf(name) : valueText(value)]),
    ),
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
