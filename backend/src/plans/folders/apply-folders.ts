import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Principal, roleIncludes } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { FaultCode } from '../../common/errors/fault-codes.js';
import { Problem } from '../../common/errors/problem.js';
import type { Reason } from '../../common/http/reason.view.js';
import type { LocatedCommit } from '../../git-sources/git-content.js';
import { GitSourceReader } from '../../git-sources/git-source.reader.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { findActiveMember, membersByEmail } from '../../tenancy/directory/member.reader.js';
import { isFields } from '../code/plan-text.js';
import { PlanTexts } from '../exchange/plan-texts.js';
import { PlansService, type SyncRevision } from '../plans.service.js';
import { toSyncName } from '../plans.view.js';
import { ApplyFile, invalidOutcome, type KnownPlans, type ParsedFolderFile } from './apply-file.js';
import { type FolderContent, type FolderFile, FolderFiles } from './folder-files.js';
import { type CallingFile, sortCalledFirst } from './folder-order.js';
import {
  type FolderRecord,
  lockFolders,
  listManagedPlans,
  type ManagedPlan,
  recordFoldersApplied,
} from './folder-records.js';
import { createEmptyReport, type FolderReport, storeReport, toFileSubject } from './folder-report.js';

/** State before the files are read. It must be unchanged when their plans are saved. */
interface FolderState {
  at: LocatedCommit;
  folders: FolderRecord[];
  /** Principals of the members who set up the folders; null: the member may no longer change plans. */
  callers: Map<string, Principal | null>;
  texts: Map<string, string | null>;
}

/** Faults that may disappear when further files are saved. */
const RETRIABLE_CODES = new Set<FaultCode>(['duplicate_name', 'not_found']);

type CandidateFile = ParsedFolderFile & CallingFile;

@Injectable()
export class ApplyFolders {
  constructor(
    private readonly units: UnitOfWork,
    private readonly git: GitSourceReader,
    private readonly files: FolderFiles,
    private readonly texts: PlanTexts,
    private readonly file: ApplyFile,
    private readonly plans: PlansService,
    private readonly environments: EnvironmentReader,
  ) {}

  /**
   * Saves all changes of a commit and the report in one transaction. Saves nothing if the source has a new commit or
   * other folders meanwhile: the job for that change applies them.
   * @throws Problem as `GitContent.with`, `ThreadPool.run`; the reason of `signal`
   */
  async apply(tenantId: string, sourceId: string, signal: AbortSignal): Promise<void> {
    const seen = await this.units.run(tenantId, (tx) => this.readFolderState(tx, tenantId, sourceId));
    if (!seen) return;
    const usableFolders = seen.folders.filter(({ id }) => seen.callers.get(id));
    const content = await this.files.readFiles(seen.at, usableFolders, seen.texts, signal);
    const candidates: (FolderFile & Pick<ParsedFolderFile, 'read' | 'folder' | 'caller'>)[] = [];
    for (const file of content.files) {
      signal.throwIfAborted();
      const folder = usableFolders.find(({ id }) => id === file.folderId);
      const caller = seen.callers.get(file.folderId);
      if (!folder || !caller) continue;
      const none = { value: null, places: {}, comments: false, faults: [] };
      const read = file.text === null ? none : await this.texts.readText(caller, file.text);
      candidates.push({ ...file, read, folder, caller });
    }
    await this.units.run(tenantId, async (tx) => {
      const now = await this.readFolderState(tx, tenantId, sourceId);
      if (!now || !isSameState(seen, now)) return;
      const report = await this.saveAll(tx, now, { content, candidates, signal });
      await storeReport(tx, tenantId, sourceId, report);
      await recordFoldersApplied(tx, tenantId, sourceId);
    });
  }

  /** Reports that the current commit could not be read. @returns whether to retry */
  async storeErrorReport(tenantId: string, sourceId: string, error: string): Promise<boolean> {
    return this.units.run(tenantId, async (tx) => {
      const at = await this.git.findCurrentCommit(tx, tenantId, sourceId);
      const folders = await lockFolders(tx, tenantId, sourceId);
      if (!at || folders.length === 0) return false;
      await storeReport(tx, tenantId, sourceId, createEmptyReport(at.commit, error));
      return true;
    });
  }

  private async readFolderState(tx: EntityManager, tenantId: string, sourceId: string): Promise<FolderState | null> {
    // Locks the source before the folders, like all other code.
    const at = await this.git.findCurrentCommit(tx, tenantId, sourceId);
    const folders = await lockFolders(tx, tenantId, sourceId);
    if (folders.length === 0) return null;
    if (!at) {
      await recordFoldersApplied(tx, tenantId, sourceId);
      return null;
    }
    const callers = new Map<string, Principal | null>();
    for (const { id, setUpBy } of folders) callers.set(id, await findCaller(tx, tenantId, setUpBy));
    const managedById = await listManagedPlans(tx, tenantId, sourceId);
    return { at, folders, callers, texts: new Map(managedById.map(({ path, text }) => [path, text])) };
  }

  private async saveAll(
    tx: EntityManager,
    { at, folders, callers }: FolderState,
    read: {
      content: FolderContent;
      candidates: readonly (FolderFile & Pick<ParsedFolderFile, 'read' | 'folder' | 'caller'>)[];
      signal: AbortSignal;
    },
  ): Promise<FolderReport> {
    const { tenantId, id: gitSourceId, name: sourceName } = at.source;
    const { content, signal } = read;
    const report = { ...createEmptyReport(at.commit), leftOut: content.leftOut };
    const managedById = await listManagedPlans(tx, tenantId, gitSourceId);
    const known: KnownPlans = {
      byPath: new Map(managedById.map((each) => [each.path, each])),
      present: content.present,
    };
    const about = (path: string, value: unknown) =>
      toFileSubject(known.byPath.get(path) ?? null, value, (name) =>
        this.environments.findIdByName(tx, tenantId, name),
      );
    for (const folder of folders) if (!callers.get(folder.id)) report.invalid.push(toAbandonedEntry(folder));
    for (const { path, what } of content.missing) {
      const message =
        what === 'missing'
          ? 'The commit has no such folder, so no plans come from it.'
          : 'This path is a file, a link or a submodule, not a folder. Links are never followed.';
      const place = { line: null, column: null, planId: null, environmentId: null };
      report.invalid.push({ path, ...place, code: 'invalid_path', message });
    }
    const emails = read.candidates.flatMap(({ authorEmail }) => authorEmail ?? []);
    const members = await membersByEmail(tx, tenantId, emails);
    const candidates: CandidateFile[] = [];
    for (const file of read.candidates) {
      const { path, text, fault, folder, caller } = file;
      const faults = fault ? [fault] : file.read.faults;
      if (text === null || faults.length > 0) {
        const subject = await about(path, null);
        for (const { code, message, ...more } of faults) {
          const { line, column } = 'place' in more ? more.place : { line: 1, column: 1 };
          report.invalid.push({ path, line, column, code, message, ...subject });
        }
        continue;
      }
      const old = known.byPath.get(path);
      const authorId =
        old?.text === text ? old.authorId : (members.get((file.authorEmail ?? '').toLowerCase()) ?? null);
      const actor = { kind: 'system', tenantId, name: toSyncName({ sourceName }) } as const;
      const sync: SyncRevision = {
        ...{ gitSourceId, sourceName, path, commit: at.commit },
        ...{ folderId: folder.id, actor, authorId },
      };
      candidates.push({ path, text, read: file.read, folder, caller, sync, ...toCallingFile(file.read.value) });
    }
    const { ordered, circles } = sortCalledFirst(candidates);
    for (const { file, path, at: place } of circles) {
      const message = `The plans call one another in a circle: ${path.map((name) => `"${name}"`).join(' → ')}. Remove one of these calls.`;
      report.invalid.push(
        ...invalidOutcome(
          file,
          [{ at: place, code: 'circular_call', message }],
          await about(file.path, file.read.value),
        ).faults,
      );
    }
    await this.saveFiles(tx, ordered, { known, report, signal });
    await this.removePlans(tx, { at, folders, callers, known, report, content });
    return report;
  }

  /** Retries failed files while other files succeed: a name may have become free, or a called plan may exist now. */
  private async saveFiles(
    tx: EntityManager,
    files: readonly CandidateFile[],
    { known, report, signal }: { known: KnownPlans; report: FolderReport; signal: AbortSignal },
  ): Promise<void> {
    for (let rest = files; rest.length > 0; ) {
      const failed: { file: CandidateFile; faults: FolderReport['invalid'] }[] = [];
      for (const file of rest) {
        signal.throwIfAborted();
        const outcome = await this.file.applyFile(tx, file, known);
        if (outcome.done === 'invalid') failed.push({ file, faults: outcome.faults });
        else if (outcome.done === 'unchanged') report.unchanged += 1;
        else report[outcome.done].push(outcome.plan);
      }
      const again = failed.filter(({ faults }) => faults.some(({ code }) => RETRIABLE_CODES.has(code)));
      const over = again.length === rest.length ? failed : failed.filter((each) => !again.includes(each));
      report.invalid.push(...over.flatMap(({ faults }) => faults));
      if (again.length === rest.length) return;
      rest = again.map(({ file }) => file);
    }
  }

  /** Deletes plans whose files no longer exist. Deletes callers before called plans. */
  private async removePlans(
    tx: EntityManager,
    {
      at,
      folders,
      callers,
      known,
      report,
      content,
    }: Pick<FolderState, 'at' | 'folders' | 'callers'> & {
      known: KnownPlans;
      report: FolderReport;
      content: FolderContent;
    },
  ): Promise<void> {
    const untouchedFolderIds = new Set(
      content.missing.flatMap(({ folderId, what }) => (what === 'other' ? [folderId] : [])),
    );
    let rest = [...known.byPath.values()].filter(
      ({ path, folderId }) => !content.present.has(path) && callers.get(folderId) && !untouchedFolderIds.has(folderId),
    );
    for (;;) {
      const keptPlans: { plan: ManagedPlan; reason: Reason }[] = [];
      for (const plan of rest) {
        const caller = callers.get(plan.folderId);
        const folder = folders.find(({ id }) => id === plan.folderId);
        if (!caller || !folder) continue;
        const reason = await this.removePlan(tx, { at, caller, folder, plan });
        const { id: planId, name, path, environmentId } = plan;
        if (reason === null) report.removed.push({ planId, name, path, environmentId });
        else keptPlans.push({ plan, reason });
      }
      if (keptPlans.length === rest.length) {
        for (const { plan, reason } of keptPlans) {
          const { id: planId, name, path, environmentId } = plan;
          report.kept.push({ planId, name, path, environmentId, code: reason.code, reason: reason.text });
        }
        return;
      }
      rest = keptPlans.map(({ plan }) => plan);
    }
  }

  /** @returns why the plan cannot be deleted; null: it was deleted */
  private async removePlan(
    tx: EntityManager,
    { at, caller, folder, plan }: { at: LocatedCommit; caller: Principal; folder: FolderRecord; plan: ManagedPlan },
  ): Promise<Reason | null> {
    const { tenantId, id: gitSourceId, name: sourceName } = at.source;
    const actor = { kind: 'system', tenantId, name: toSyncName({ sourceName }) } as const;
    const origin = { gitSourceId, sourceName, path: plan.path, commit: at.commit };
    const sync: SyncRevision = { ...origin, folderId: folder.id, actor, authorId: null };
    try {
      if (plan.environmentId !== null) await this.environments.requireRunnable(tx, caller, plan.environmentId);
      await this.plans.deleteIn(tx, caller, plan.id, { version: null, sync });
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'in_use') return { code: error.code, text: error.detail };
      const text = `${folder.setUpByName}, who set this folder up, may not change plans of its environment any more.`;
      return { code: error.code, text };
    }
  }
}

/** Returns the principal of a member; null: the member may not change plans. */
async function findCaller(tx: EntityManager, tenantId: string, userId: string | null): Promise<Principal | null> {
  const member = userId === null ? null : await findActiveMember(tx, tenantId, userId);
  if (!member || !roleIncludes(member.role, 'operator')) return null;
  return {
    ...{ userId: member.id, tenantId, tenantName: '', email: member.email, name: member.name, role: member.role },
    ...{ via: 'session', credentialId: '', tokenPrefix: null, heldBy: [], limits: null, address: '', requestId: '' },
  };
}

const isSameState = (one: FolderState, other: FolderState): boolean =>
  one.at.commit === other.at.commit &&
  one.folders.length === other.folders.length &&
  one.folders.every(
    ({ id, wanted }, index) => other.folders[index]?.id === id && other.folders[index].wanted === wanted,
  );

const toAbandonedEntry = ({ path, setUpByName }: FolderRecord): FolderReport['invalid'][number] => ({
  ...{ path, line: null, column: null, planId: null, environmentId: null, code: 'not_applicable' },
  message: `${setUpByName}, who set up this folder, was removed or can no longer change plans. Its plans stay unchanged until another member saves the folders of the source.`,
});

function toCallingFile(value: ParsedFolderFile['read']['value']): CallingFile {
  if (!isFields(value)) return { name: '', calls: [] };
  const name = typeof value.name === 'string' ? value.name.trim().toLowerCase() : '';
  const steps = Array.isArray(value.steps) ? value.steps : [];
  const calls = steps.flatMap((step, index) =>
    isFields(step) && typeof step.plan === 'string'
      ? [{ name: step.plan.trim().toLowerCase(), at: `/steps/${index}/plan` }]
      : [],
  );
  return { name, calls };
}
