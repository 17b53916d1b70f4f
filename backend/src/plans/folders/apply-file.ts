import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CollectionReader } from '../../collections/collection-reader.js';
import type { Principal } from '../../common/access/principal.js';
import { toDatabaseProblem, isDatabaseUnavailable } from '../../common/database/database-problem.js';
import type { FaultCode } from '../../common/errors/fault-codes.js';
import { Problem } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { findPlace } from '../code/place-of.js';
import { toPlanForm } from '../code/plan-form.js';
import type { TextPlace, ReadText } from '../code/plan-text.js';
import { isSameTree } from '../code/write-yaml.js';
import { PlanExport } from '../exchange/plan-export.js';
import { toFullRequest, withDefaults } from '../exchange/plan-import.js';
import { PlanNames } from '../exchange/plan-names.js';
import { PlanTexts, type ValidPlan } from '../exchange/plan-texts.js';
import { updateOrigin, PlansService, type SyncRevision } from '../plans.service.js';
import { RunPlanReader } from '../records/run-plan.reader.js';
import type { FolderRecord, ManagedPlan, PlanWithName } from './folder-records.js';
import { findPlanWithName } from './folder-records.js';
import { type FileSubject, type InvalidFile, type ReportedPlan, toFileSubject } from './folder-report.js';

export interface ParsedFolderFile {
  path: string;
  text: string;
  read: ReadText;
  folder: FolderRecord;
  /** Principal of the member who set up the folder. */
  caller: Principal;
  sync: SyncRevision;
}

export type FileOutcome =
  | { done: 'created' | 'changed'; plan: ReportedPlan }
  | { done: 'unchanged'; planId: string }
  | { done: 'invalid'; faults: InvalidFile[] };

/** Plans of the source by file, as known at this point of the transaction. */
export interface KnownPlans {
  byPath: Map<string, ManagedPlan>;
  present: ReadonlySet<string>;
}

const MAX_FAULTS = 20;

/** Violated rule that applies only to plan folders. */
class FileRefusal extends Error {
  constructor(
    readonly code: FaultCode,
    readonly at: string,
    message: string,
  ) {
    super(message);
  }
}

@Injectable()
export class ApplyFile {
  constructor(
    private readonly texts: PlanTexts,
    private readonly names: PlanNames,
    private readonly plans: PlansService,
    private readonly reader: RunPlanReader,
    private readonly exports: PlanExport,
    private readonly environments: EnvironmentReader,
    private readonly collections: CollectionReader,
  ) {}

  /** Saves the plan of a file. A refused file changes nothing and does not prevent other files from being applied. */
  async applyFile(tx: EntityManager, file: ParsedFolderFile, known: KnownPlans): Promise<FileOutcome> {
    const plan = known.byPath.get(file.path) ?? null;
    const about = await toFileSubject(plan, file.read.value, (name) =>
      this.environments.findIdByName(tx, file.caller.tenantId, name),
    );
    await tx.query('savepoint plan_file');
    try {
      return await this.savePlan(tx, file, known, about);
    } catch (error) {
      await tx.query('rollback to savepoint plan_file');
      if (error instanceof FileRefusal) return invalidOutcome(file, [{ ...error, message: error.message }], about);
      const problem = error instanceof Problem ? error : isDatabaseUnavailable(error) ? null : toDatabaseProblem(error);
      if (!problem) throw error;
      const errors = problem.extras.errors ?? [];
      if (errors.length > 0) {
        const faults = errors.map(({ path, code, message }) => ({ at: path, code, message }));
        return invalidOutcome(file, faults, about);
      }
      return invalidOutcome(file, [{ at: '', code: 'invalid_value', message: problem.detail }], about);
    } finally {
      await tx.query('release savepoint plan_file').catch(() => undefined);
    }
  }

  private async savePlan(
    tx: EntityManager,
    file: ParsedFolderFile,
    known: KnownPlans,
    about: FileSubject,
  ): Promise<FileOutcome> {
    const { caller, folder, sync, path } = file;
    const value = withDefaults(file.read.value, { collectionId: folder.collectionId });
    const looked = await this.texts.validate(tx, caller, { value, places: file.read.places });
    const own = known.byPath.get(path) ?? null;
    const { plan } = looked;
    const environmentId = plan?.request.environmentId ?? null;
    if (looked.faults.length > 0 || !plan) {
      return { done: 'invalid', faults: looked.faults.map((fault) => toPlacedFault(file, fault, about)) };
    }
    await this.requireRights(tx, file, plan, own);
    const target = own ?? (await this.findMovedPlan(tx, file, plan.request.name, known));
    const holder = await findPlanWithName(tx, caller.tenantId, plan.request.name);
    if (holder && holder.id !== target?.id)
      throw nameTakenRefusal(plan.request.name, holder, sync.gitSourceId, own?.environmentId ?? null);
    const reported = { name: plan.request.name, path, environmentId };
    if (!target) {
      const made = await this.plans.createIn(tx, caller, plan.request, {
        content: plan.content,
        text: file.text,
        sync,
      });
      return this.noteResult(known, file, { ...reported, planId: made.id }, 'created');
    }
    const before = await this.reader.findVisiblePlan(tx, caller, target.id);
    const form = toPlanForm(looked.fields, await this.names.readReferenceNames(tx, caller, looked.fields));
    const { sparse } = await this.exports.readPlanForm(tx, caller, before, await this.reader.readContent(tx, before));
    if (!isSameTree(sparse, form.sparse)) {
      await this.plans.updateIn(tx, caller, target.id, {
        request: toFullRequest(plan),
        version: null,
        text: file.text,
        sync,
      });
      return this.noteResult(known, file, { ...reported, planId: target.id }, 'changed');
    }
    if (target.path !== path) {
      await updateOrigin(tx, { tenantId: caller.tenantId, id: target.id }, sync);
      return this.noteResult(known, file, { ...reported, planId: target.id }, 'changed');
    }
    return { done: 'unchanged', planId: target.id };
  }

  /** Requires the rights that a save by hand would require. Checks the member who set up the folder. */
  private async requireRights(
    tx: EntityManager,
    { caller, folder }: ParsedFolderFile,
    { request }: ValidPlan,
    own: ManagedPlan | null,
  ): Promise<void> {
    const sparse = request.environmentId ?? null;
    for (const id of new Set([sparse, own?.environmentId ?? null])) {
      if (id === null) continue;
      const at = id === sparse ? '/environment' : '';
      try {
        await this.environments.requireRunnable(tx, caller, id);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const where = id === sparse ? 'the environment of this plan' : 'the environment that this plan was bound to';
        const message = `${folder.setUpByName}, who set this folder up, may not change plans of ${where} any more. Get them the grant "run" there, or have another member save the folders of the source.`;
        throw new FileRefusal('not_applicable', at, message);
      }
    }
    const { collectionId } = request;
    if (collectionId === undefined || collectionId === folder.collectionId) return;
    const within = await this.collections.listSubtreeIds(tx, caller.tenantId, folder.collectionId);
    if (within.includes(collectionId)) return;
    const message =
      'Plans of this folder must be in the collection of the folder or in a subcollection. Remove `collection`, or choose another collection for the folder in the settings of the source.';
    throw new FileRefusal('not_applicable', '/collection', message);
  }

  /** Returns the plan with that name whose file no longer exists: the file was renamed. */
  private async findMovedPlan(
    tx: EntityManager,
    { caller, sync }: ParsedFolderFile,
    name: string,
    { byPath, present }: KnownPlans,
  ): Promise<ManagedPlan | null> {
    const holder = await findPlanWithName(tx, caller.tenantId, name);
    if (!holder || holder.sourceId !== sync.gitSourceId || holder.path === null || present.has(holder.path))
      return null;
    return byPath.get(holder.path) ?? null;
  }

  private noteResult(
    known: KnownPlans,
    { path, folder, text, sync }: ParsedFolderFile,
    plan: ReportedPlan,
    done: 'created' | 'changed',
  ) {
    for (const [at, each] of known.byPath) if (each.id === plan.planId) known.byPath.delete(at);
    const { planId: id, name, environmentId } = plan;
    known.byPath.set(path, { id, name, environmentId, folderId: folder.id, path, text, authorId: sync.authorId });
    return { done, plan } as const;
  }
}

export function invalidOutcome(
  file: Pick<ParsedFolderFile, 'path' | 'folder' | 'read'>,
  faults: readonly { at: string; code: FaultCode; message: string }[],
  about: FileSubject,
): Extract<FileOutcome, { done: 'invalid' }> {
  const reported = faults.slice(0, MAX_FAULTS).map(({ at, code, message }) => {
    const place = findPlace(file.read.places, at);
    return toPlacedFault(file, { ...place, code, message }, about);
  });
  return { done: 'invalid', faults: reported };
}

const toPlacedFault = (
  { path, folder }: Pick<ParsedFolderFile, 'path' | 'folder'>,
  { line, column, code, message }: Pick<TextPlace, 'line' | 'column'> & { code: FaultCode; message: string },
  about: FileSubject,
): InvalidFile => ({
  ...{ path, line, column, code, ...about },
  message: message.replace(
    ', or you may not see it',
    `, or ${folder.setUpByName}, who set this folder up, may not see it`,
  ),
});

/** Names the other plan's file only if every reader of this file's faults can also see that plan. */
function nameTakenRefusal(
  name: string,
  holder: PlanWithName,
  sourceId: string,
  environmentId: string | null,
): FileRefusal {
  const isVisible = holder.environmentId === null || holder.environmentId === environmentId;
  const message =
    isVisible && holder.sourceId === sourceId
      ? `"${name}": ${holder.path} of this source has that name already. Choose another one; names are unique.`
      : `The name "${name}" is already taken. Choose another one; names are unique.`;
  return new FileRefusal('duplicate_name', '/name', message);
}
