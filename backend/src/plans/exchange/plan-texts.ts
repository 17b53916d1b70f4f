import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import type { FaultCode } from '../../common/errors/fault-codes.js';
import { Problem } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { shortenText } from '../../common/text/shorten.js';
import { ValidationPipe } from '../../common/http/validation.pipe.js';
import { JobEndedError, toThreadFileUrl, type ThreadJob, ThreadPool } from '../../common/threads/thread-pool.js';
import { MAX_PROBLEMS } from '../checks/check-plan-content.js';
import { findPlace } from '../code/place-of.js';
import { createPlanDraft, type NamedReference } from '../code/plan-draft.js';
import type { PlanFormatName } from '../formats/plan-formats.js';
import {
  type ConvertedText,
  type Fields,
  isFields,
  type ReadText,
  type TextPlace,
  type TextToWrite,
  type YamlTree,
} from '../code/plan-text.js';
import type { ReferenceKind } from '../steps/types/step-type.js';
import { CalledPlans } from '../called-plans.js';
import { PlanLibrary } from '../plan-library.js';
import { PlanFieldsRequest } from '../plans.dto.js';
import { findContentProblems, toRequestedContent } from '../plans.service.js';
import { EMPTY_PLAN, type PlanContent } from '../steps/plan-content.js';
import { findNearestField } from './known-fields.js';
import { PlanNames } from './plan-names.js';
import type { PlanTextAnswer, PlanTextTask } from './plan-text-thread.js';

const PLAN_TEXT_JOB: ThreadJob<PlanTextTask, PlanTextAnswer> = {
  file: toThreadFileUrl('./plan-text-thread', import.meta.url),
  runMs: 10_000,
};

export interface PositionedFault extends TextPlace {
  readonly path: string;
  readonly code: FaultCode;
  readonly message: string;
}

export interface ValidPlan {
  readonly request: PlanFieldsRequest;
  readonly content: PlanContent;
}

export interface ValidatedText {
  /** Can be saved if there are no faults; null: its fields are unknown. */
  readonly plan: ValidPlan | null;
  /** Fields to write: with IDs if these are known, else as in the text. */
  readonly fields: Fields;
  readonly faults: readonly PositionedFault[];
}

/** Reads plans from texts and writes plans as texts, with the same rules as the API. */
@Injectable()
export class PlanTexts {
  private readonly validationPipe = new ValidationPipe();

  constructor(
    private readonly threads: ThreadPool,
    private readonly names: PlanNames,
    private readonly library: PlanLibrary,
    private readonly calls: CalledPlans,
  ) {}

  /** Must not be called within a transaction. @throws Problem 429 `too_many_at_once`; 503 `busy` */
  readText(caller: Principal, text: string): Promise<ReadText> {
    return this.runTask<ReadText>(caller, { does: 'read', text }, (fault) => ({
      ...{ value: null, places: {}, comments: false },
      faults: [fault],
    }));
  }

  /** Reads all plans of a text in one of the import formats. Must not be called within a transaction. */
  readPlans(caller: Principal, format: PlanFormatName, text: string): Promise<ConvertedText> {
    return this.runTask<ConvertedText>(caller, { does: 'convert', format, text }, (fault) => ({
      ...{ plans: [], notCarried: [], moreNotCarried: 0 },
      faults: [fault],
    }));
  }

  /** Must not be called within a transaction. */
  async writeTexts(caller: Principal, texts: readonly TextToWrite[]): Promise<readonly string[]> {
    return (await this.threads.run(
      PLAN_TEXT_JOB,
      { does: 'write', texts },
      toThreadShare(caller),
    )) as readonly string[];
  }

  private async runTask<T extends PlanTextAnswer>(
    caller: Principal,
    task: PlanTextTask,
    ended: (fault: ReadText['faults'][number]) => T,
  ): Promise<T> {
    try {
      return (await this.threads.run(PLAN_TEXT_JOB, task, toThreadShare(caller))) as T;
    } catch (error) {
      if (!(error instanceof JobEndedError)) throw error;
      const place = findPlace({}, '');
      const message = `Reading this text takes too much ${error.exceeded}. Make it shorter.`;
      return ended({ code: 'too_large', message, path: '', place });
    }
  }

  async validate(
    tx: EntityManager,
    caller: Principal,
    { value, places }: Pick<ReadText, 'value' | 'places'>,
  ): Promise<ValidatedText> {
    const draft = createPlanDraft(value);
    const faults: ProblemItem[] = [...draft.faults];
    const lost = await this.resolveNames(tx, caller, draft.references);
    faults.push(...lost.map(({ kind, name, path }) => notFoundItem(kind, name, path)));
    const looked = isFields(value)
      ? await this.checkFields(tx, caller, draft.request)
      : { faults: [], request: null, content: null };
    // A missing record was already reported by its name.
    const reportedPaths = new Set(faults.map(({ path }) => path));
    for (const fault of looked.faults) {
      const path = draft.textPath(fault.path);
      if (!reportedPaths.has(path)) faults.push({ ...fault, path });
    }
    const { request, content } = looked;
    return {
      plan: request && content && lost.length === 0 ? { request, content } : null,
      fields: lost.length > 0 && isFields(value) ? value : draft.request,
      faults: faults
        .slice(0, MAX_PROBLEMS)
        .map((fault) => toPositionedFault(fault, value, places))
        .sort((one, other) => one.line - other.line || one.column - other.column),
    };
  }

  private async resolveNames(
    tx: EntityManager,
    caller: Principal,
    references: readonly NamedReference[],
  ): Promise<NamedReference[]> {
    const lost: NamedReference[] = [];
    for (const kind of new Set(references.map((each) => each.kind))) {
      const referencesOfKind = references.filter((each) => each.kind === kind);
      const ids = await this.names.findIdsByName(
        tx,
        caller,
        kind,
        referencesOfKind.map(({ name }) => name),
      );
      for (const reference of referencesOfKind) {
        const id = ids.get(reference.name);
        if (id === undefined) lost.push(reference);
        else reference.put(id);
      }
    }
    return lost;
  }

  private async checkFields(
    tx: EntityManager,
    caller: Principal,
    fields: Fields,
  ): Promise<{ faults: ProblemItem[]; request: PlanFieldsRequest | null; content: PlanContent | null }> {
    const looked = { request: null as PlanFieldsRequest | null, content: null as PlanContent | null };
    try {
      const body = { type: 'body', metatype: PlanFieldsRequest } as const;
      const request = (await this.validationPipe.transform(fields, body)) as PlanFieldsRequest;
      looked.request = request;
      const content = toRequestedContent(request, EMPTY_PLAN);
      looked.content = content;
      const faults = await findContentProblems(request, content);
      if (faults.length > 0) return { ...looked, faults };
      await this.names.requireVisible(tx, caller, request);
      await this.library.requireKnownContents(tx, caller, content.steps);
      // Only direct calls are checked: an indirect call of this plan is reported for the plans in between.
      await this.calls.requireCallablePlans(tx, caller, { id: '', name: request.name }, content);
      return { ...looked, faults };
    } catch (error) {
      if (!(error instanceof Problem) || !error.extras.errors) throw error;
      return { ...looked, faults: error.extras.errors };
    }
  }
}

function toPositionedFault(fault: ProblemItem, value: YamlTree, places: ReadText['places']): PositionedFault {
  const { path, code } = fault;
  const byName = ['unknown_field', 'field_of_other_type', 'conflicting_fields'].includes(code);
  return { path, code, message: toFaultMessage(fault, value), ...findPlace(places, path, byName) };
}

const toThreadShare = ({ tenantId }: Principal) => ({ tenantId, asks: 'request' as const });

const notFoundItem = (kind: ReferenceKind, name: string, path: string): ProblemItem => ({
  path,
  code: 'not_found',
  message: `There is no ${kind} "${shortenText(name)}", or you may not see it.`,
});

/** Returns the message of an API rule, with the field names of the text. */
function toFaultMessage({ path, code, message }: ProblemItem, value: YamlTree): string {
  if (code === 'unknown_field') return findNearestField(path) ?? message;
  const said = path
    .split('/')
    .slice(1)
    .reduce<YamlTree | undefined>(
      (at, part) =>
        at !== null && typeof at === 'object'
          ? (at as Fields)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
          : undefined,
      value,
    );
  const isUnquoted = typeof said === 'number' || typeof said === 'boolean';
  return code === 'wrong_type' && isUnquoted && /text/.test(message)
    ? `${message} Put it in quotes: "${said}".`
    : message;
}
