import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { sql, whereSql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest } from '../../common/errors/problem.js';
import { toPlanForm } from '../code/plan-form.js';
import type { ForeignPlans } from '../code/plan-format.js';
import { findPlanFormat } from '../formats/plan-formats.js';
import { MAX_NOT_CARRIED_ENTRIES } from '../code/bounds.js';
import {
  type DescribedPlan,
  type Fields,
  isFields,
  type NotCarriedPart,
  type TextPlace,
  type TextToWrite,
  type YamlTree,
} from '../code/plan-text.js';
import { isSameTree } from '../code/write-yaml.js';
import { Plan } from '../records/plan.entity.js';
import { PlanWarnings } from '../plan-warnings.js';
import { PlansService } from '../plans.service.js';
import { RunPlanReader } from '../records/run-plan.reader.js';
import { isPlanVisibleSql } from '../records/visible-plan.js';
import type { ImportPlansRequest } from './exchange.dto.js';
import {
  type ImportedPlanView,
  type PlanFaultView,
  type PlanImportView,
  toNotCarriedView,
  toPlanChangeView,
  toPlanFaultView,
} from './exchange.view.js';
import type { PlanWarningView } from '../plans.view.js';
import { findPlace } from '../code/place-of.js';
import { findPlanChanges } from './plan-changes.js';
import { PlanExport, REFERENCE_SYNONYMS } from './plan-export.js';
import { PlanNames } from './plan-names.js';
import { readLastSource } from './plan-sources.js';
import { type ValidatedText, type PositionedFault, PlanTexts, type ValidPlan } from './plan-texts.js';

const MAX_REPAIRS = 10;
const MAX_CHANGES = 200;

interface ParsedPlan extends DescribedPlan {
  /** Text to store with the revision; null: it is not in Runward's format. */
  readonly text: string | null;
  readonly foreign: ForeignPlans | undefined;
}

type AppliedPlan = ImportedPlanView & {
  written: TextToWrite;
  /** Finds all warnings, including those about scripts of git sources. Must not be called within a transaction. */
  findWarnings: () => Promise<PlanFaultView[]>;
};

/** Carries the result of a preview out of the transaction, which is rolled back. */
class PreviewRollback extends Error {
  constructor(
    readonly outcome: PlanImportView,
    readonly texts: readonly TextToWrite[],
  ) {
    super('A preview changes nothing.');
  }
}

/** Creates or changes plans from a text. If one cannot be saved, saves none. */
@Injectable()
export class PlanImport {
  constructor(
    private readonly units: UnitOfWork,
    private readonly texts: PlanTexts,
    private readonly names: PlanNames,
    private readonly plans: PlansService,
    private readonly reader: RunPlanReader,
    private readonly exports: PlanExport,
    private readonly warnings: PlanWarnings,
  ) {}

  /**
   * @param version version of the plan `planId` that the caller has read; null: any
   * @throws Problem 400 with line and column of each fault; 404, 409, 412 as when saving fields
   */
  async importPlans(caller: Principal, request: ImportPlansRequest, version: number | null): Promise<PlanImportView> {
    const { name: format, foreign } = findPlanFormat(request.format ?? 'plan');
    if (foreign && request.planId !== undefined) throw onlyNewPlansProblem(foreign);
    const read = await this.texts.readPlans(caller, format, request.content);
    const { faults, notCarried, moreNotCarried } = read;
    if (faults.length > 0) throw refusedPlanProblem(faults.map(({ place, ...fault }) => ({ ...fault, ...place })));
    const text = foreign ? null : request.content;
    const describedPlans = read.plans.map((plan): ParsedPlan => ({ ...plan, text, foreign }));
    // Only previews contain the texts of the plans, because the response is stored for repeated requests.
    let plans: AppliedPlan[] = [];
    const work = async (tx: EntityManager): Promise<PlanImportView> => {
      await this.names.requireVisible(tx, caller, request);
      plans = [];
      const refused: NotCarriedPart[] = [];
      for (const each of describedPlans) {
        const { plan, notes } = await this.importOnePlan(tx, caller, { each, request, version });
        refused.push(...notes);
        if (plan) plans.push(plan);
      }
      const result = notCarried.filter((note) => !refused.some((other) => isSameSubject(other, note)));
      const listed = [...refused, ...result].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
      const outcome = {
        preview: request.preview ?? false,
        plans: plans.map(({ written: _, findWarnings: __, ...plan }) => plan),
        notCarried: listed.slice(0, MAX_NOT_CARRIED_ENTRIES).map(toNotCarriedView),
        moreNotCarried: moreNotCarried + Math.max(0, listed.length - MAX_NOT_CARRIED_ENTRIES),
      };
      if (!request.preview) return outcome;
      throw new PreviewRollback(
        outcome,
        plans.map(({ written }) => written),
      );
    };
    const rolledBack = await this.units.run(caller.tenantId, work).catch((error: unknown) => {
      if (error instanceof PreviewRollback) return error;
      throw error;
    });
    const [outcome, texts] =
      rolledBack instanceof PreviewRollback ? [rolledBack.outcome, rolledBack.texts] : [rolledBack, []];
    const written = texts.length === 0 ? [] : await this.texts.writeTexts(caller, texts);
    const warnings = await Promise.all(plans.map(({ findWarnings }) => findWarnings()));
    const reportedPlans = outcome.plans.map((plan, index) => ({
      ...plan,
      warnings: warnings[index] ?? [],
      yaml: written[index] ?? null,
    }));
    return { ...outcome, plans: reportedPlans };
  }

  private async importOnePlan(
    tx: EntityManager,
    caller: Principal,
    { each, request, version }: { each: ParsedPlan; request: ImportPlansRequest; version: number | null },
  ): Promise<{ plan?: AppliedPlan; notes: readonly NotCarriedPart[] }> {
    const { foreign } = each;
    const validatedPlan = await this.validatePlan(tx, caller, { ...each, value: withDefaults(each.value, request) });
    const { plan, fields, faults, notes } = validatedPlan;
    if (faults.length > 0 || !plan) {
      if (!foreign) throw refusedPlanProblem(faults);
      const [first] = faults;
      const line = first?.line ?? each.line;
      return { notes: [toNotCarriedPlan(fields, { line, reason: first?.message ?? 'It is not a plan.' })] };
    }
    const known = await this.findKnownPlan(tx, caller, request.planId, plan.request.name);
    if (known && foreign) {
      const reason = 'A plan with this name already exists. Rename it or the job, then import the job again.';
      return { notes: [toNotCarriedPlan(fields, { line: each.line, reason })] };
    }
    const form = toPlanForm(fields, await this.names.readReferenceNames(tx, caller, fields));
    const written = { ...form, synonyms: REFERENCE_SYNONYMS, base: each.text };
    const { steps } = plan.content;
    const withPlaces = (found: readonly PlanWarningView[]) =>
      found.map((warning) => toPlanFaultView({ ...warning, ...findPlace(each.places, warning.path) }));
    const about = {
      name: plan.request.name,
      line: each.line,
      stepCount: steps.length,
      warnings: withPlaces(await this.warnings.getLibraryWarnings(tx, caller.tenantId, steps)),
      findWarnings: async () => withPlaces(await this.warnings.findAllWarnings(caller, steps)),
      yaml: null,
      written,
    };
    if (!known) {
      const made = await this.plans.createIn(
        tx,
        caller,
        { ...plan.request, message: request.message },
        { content: plan.content, text: each.text },
      );
      const savedRevision = request.preview
        ? { planId: null, revision: null }
        : { planId: made.id, revision: made.revision };
      return { plan: { ...about, action: 'create', ...savedRevision, changes: [], moreChanges: 0 }, notes };
    }
    return {
      notes,
      plan: {
        ...about,
        ...(await this.changeOrCreatePlan(tx, caller, { known, plan, form: form.sparse, each, request, version })),
      },
    };
  }

  /** Parses a text. In a foreign text, removes and reports parts that violate rules. */
  private async validatePlan(
    tx: EntityManager,
    caller: Principal,
    each: ParsedPlan,
  ): Promise<ValidatedText & { notes: readonly NotCarriedPart[] }> {
    let validatedPlan = await this.texts.validate(tx, caller, each);
    const notes: NotCarriedPart[] = [];
    let value = each.value as Fields;
    for (let time = 0; each.foreign && validatedPlan.faults.length > 0 && time < MAX_REPAIRS; time += 1) {
      const repairedPlan = each.foreign.repair(value, validatedPlan.faults);
      if (!repairedPlan) break;
      value = repairedPlan.plan;
      notes.push(...repairedPlan.notes);
      validatedPlan = await this.texts.validate(tx, caller, { ...each, value });
    }
    return { ...validatedPlan, notes };
  }

  private async changeOrCreatePlan(
    tx: EntityManager,
    caller: Principal,
    {
      known,
      plan,
      form,
      each,
      request: { message },
      version,
    }: {
      known: Plan;
      plan: ValidPlan;
      form: Fields;
      each: ParsedPlan;
      request: ImportPlansRequest;
      version: number | null;
    },
  ): Promise<Pick<AppliedPlan, 'action' | 'planId' | 'revision' | 'changes' | 'moreChanges'>> {
    const before = await this.exports.readPlanForm(tx, caller, known, await this.reader.readContent(tx, known));
    const changes = findPlanChanges(before.sparse, form);
    const source = await readLastSource(tx, known);
    const keepsText = source?.number === known.revision ? source.text === each.text : !each.comments;
    const result = {
      planId: known.id,
      changes: changes.slice(0, MAX_CHANGES).map(toPlanChangeView),
      moreChanges: Math.max(0, changes.length - MAX_CHANGES),
    };
    if (isSameTree(before.sparse, form) && keepsText && (version === null || version === known.version))
      return { ...result, action: 'leave', revision: known.revision };
    const request = { ...toFullRequest(plan), message };
    const { revision } = await this.plans.updateIn(tx, caller, known.id, { request, version, text: each.text });
    return { ...result, action: 'change', revision };
  }

  /** Returns the plan to change; null: create one. @throws Problem 404 for an ID that the caller cannot see */
  private async findKnownPlan(
    tx: EntityManager,
    caller: Principal,
    id: string | undefined,
    name: string,
  ): Promise<Plan | null> {
    if (id !== undefined) return this.reader.findVisiblePlan(tx, caller, id, '/planId');
    const select = tx
      .getRepository(Plan)
      .createQueryBuilder('plan')
      .where('plan.tenantId = :tenantId and lower(plan.name) = lower(:name)', { tenantId: caller.tenantId, name });
    return whereSql(select, isPlanVisibleSql(sql.raw('plan'), caller)).getOne();
  }
}

const isSameSubject = (one: NotCarriedPart, other: NotCarriedPart): boolean =>
  one.job === other.job && one.step === other.step && one.what === other.what;

/** Adds the default environment and collection to a text that names none. */
export function withDefaults(
  value: YamlTree,
  { environmentId, collectionId }: Pick<ImportPlansRequest, 'environmentId' | 'collectionId'>,
): YamlTree {
  if (!isFields(value)) return value;
  const hasAnyField = (...names: string[]) => names.some((name) => value[name] !== undefined && value[name] !== null);
  return {
    ...value,
    ...(environmentId === undefined || hasAnyField('environment', 'environmentId') ? {} : { environmentId }),
    ...(collectionId === undefined || hasAnyField('collection', 'collectionId') ? {} : { collectionId }),
  };
}

/** Adds the defaults of missing fields, because a text describes a complete plan. */
export const toFullRequest = ({ request, content }: ValidPlan) => ({
  ...request,
  ...content,
  steps: request.steps,
  variables: request.variables ?? [],
  allowedModes: request.allowedModes ?? [],
  description: request.description ?? '',
  environmentId: request.environmentId ?? null,
  collectionId: request.collectionId ?? null,
  timeoutSeconds: request.timeoutSeconds ?? null,
});

const toNotCarriedPlan = ({ name }: Fields, { line, reason }: { line: number; reason: string }): NotCarriedPart => ({
  line,
  job: typeof name === 'string' ? name : '',
  step: null,
  what: 'job',
  reason,
});

const onlyNewPlansProblem = ({ noun }: ForeignPlans) =>
  invalidRequest([
    {
      path: '/planId',
      code: 'not_applicable',
      message: `${noun} are always imported as new plans. Remove planId, or send a Runward plan.`,
    },
  ]);

const refusedPlanProblem = (
  faults: readonly (TextPlace & { path: string; code: PositionedFault['code']; message: string })[],
) =>
  invalidRequest(
    faults.map(({ path, code, message, line, column }) => ({
      path: '/content',
      code,
      message: `Line ${line}, column ${column}: ${message}`,
      line,
      column,
      ...(path === '' ? {} : { entry: path }),
    })),
    'The text cannot be imported. Nothing was changed.',
  );
