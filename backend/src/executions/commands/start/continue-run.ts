import { isPlaceholder } from '../../../plans/steps/types/gate.step.js';
import { findFrozenContent } from '../../record/run-content.js';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import type { EntityManager } from 'typeorm';
import { conflict, type MissingResults } from '../../../common/errors/problem.js';
import {
  type Continuation,
  planContinuation,
  type ContinuedStep,
  type EarlierResults,
  listPassedOverSteps,
  type RerunStartPoint,
  type StepHostIds,
  listUnfinishedSteps,
} from '../../continuation/continuation.js';
import {
  collectInheritedResults,
  hashInheritedResults,
  type InheritedResult,
} from '../../continuation/inherited-rows.js';
import { type ContinuedRun, loadEarlierResults, loadWaivedSteps } from '../../continuation/run-results.js';
import { indexReadableSteps, listStepReferences } from '../../continuation/step-references.js';
import type { Snapshot } from '../../record/execution-row.js';
import { getSharedValues } from '../../record/host-values.js';
import { RunSecrets } from '../../record/run-secrets.js';
import { computeDigest, type FrozenHost } from '../../record/snapshot.js';
import { listTargetIds } from '../../steps/step-targets.js';
import type { PreparedRun } from './prepare-run.js';

export const MAX_NAMED_HOSTS = 20;

export interface EarlierRun {
  run: ContinuedRun & { snapshot: Snapshot };
  hosts: readonly FrozenHost[];
  secrets: Readonly<Record<string, string>>;
  results: EarlierResults;
  waivedSteps: ReadonlySet<string>;
}

export interface ContinuedStart {
  run: PreparedRun;
  passedOver: number[];
  inherited: InheritedResult[];
  continuation: Continuation;
  /** Tasks that will still lack a success, in both runs, when this run has succeeded: hosts per step. */
  gaps: StepHostIds[];
}

/** Determines what a run inherits from the run that it continues. Freezes it into the snapshot of the new run. */
@Injectable()
export class ContinueRun {
  constructor(private readonly secrets: RunSecrets) {}

  async loadEarlierRun(
    tx: EntityManager,
    run: EarlierRun['run'],
    hosts: readonly FrozenHost[],
    secrets: EarlierRun['secrets'],
  ): Promise<EarlierRun> {
    return {
      run,
      hosts,
      secrets,
      results: await loadEarlierResults(tx, run),
      waivedSteps: await loadWaivedSteps(tx, run),
    };
  }

  findUnfinishedHosts({ run, hosts, results, waivedSteps }: EarlierRun): ReadonlySet<string> {
    const steps = toContinuedSteps(run.snapshot, hosts, waivedSteps, () => true);
    return new Set(listUnfinishedSteps(steps, results, hosts.map(toServerId)).keys());
  }

  /** @throws Problem 409 `too_much_to_inherit` */
  async continueRun(
    tx: EntityManager,
    before: EarlierRun,
    run: PreparedRun,
    start: RerunStartPoint,
  ): Promise<ContinuedStart> {
    const { results } = before;
    const known = new Map([...before.hosts, ...run.hosts].map((host) => [host.server_id, host]));
    const all = [...known.values()];
    // Yields the event loop: the caller has just parsed a snapshot of some MiB, and another large read follows.
    await turnOfOthers();
    const isSame = start.resumes ? this.compareStepContent(before, run) : () => false;
    const steps = toContinuedSteps(run.snapshot, all, before.waivedSteps, isSame);
    const continuation = planContinuation(steps, results, run.hosts.map(toServerId), start);
    const passedOverSteps = listPassedOverSteps(steps, results, continuation, start.resumes);
    const isFullRerun = start.fromStep === 0 && !start.resumes;
    const inherited = isFullRerun
      ? []
      : await collectInheritedResults(
          tx,
          steps.map(({ key }) => key),
          results,
          {
            needed: continuation.needed,
            done: continuation.done.filter(({ step }) => !passedOverSteps.includes(step)),
            once: new Set(steps.flatMap(({ runOnce }, index) => (runOnce ? [index] : []))),
          },
        );
    await turnOfOthers();
    const frozen = isFullRerun ? run : this.freezeInheritedResults(run, start.fromStep, passedOverSteps, inherited);
    return {
      run: frozen,
      passedOver: passedOverSteps,
      inherited,
      continuation,
      gaps: listMissingHostResults(steps, results, all, continuation),
    };
  }

  /** The digest covers the first step and the inherited results, so that an approval covers them too. */
  private freezeInheritedResults(
    run: PreparedRun,
    fromStep: number,
    passedOverSteps: readonly number[],
    rows: InheritedResult[],
  ): PreparedRun {
    const keys = run.snapshot.plan.steps.map(({ key }) => key);
    const done = passedOverSteps.flatMap((index) => keys[index] ?? []);
    const snapshot: Snapshot = {
      ...run.snapshot,
      ...(fromStep > 0 ? { fromStepKey: keys[fromStep] } : {}),
      ...(rows.length + done.length > 0
        ? { inherited: { sha256: hashInheritedResults(rows), results: rows.length, done } }
        : {}),
    };
    const secrets = this.secrets.computeFingerprints(run.secrets);
    return { ...run, snapshot, digest: computeDigest(snapshot, run.hosts, run.environment.id, secrets) };
  }

  /** Returns whether a step would do the same as before. If any value differs, no step counts as done. */
  private compareStepContent(
    before: EarlierRun,
    { snapshot, hosts, secrets }: PreparedRun,
  ): (index: number) => boolean {
    const was = before.run.snapshot;
    const now = { snapshot, hosts, secrets: this.secrets.computeFingerprints(secrets) };
    const values = hasSameValues({ snapshot: was, hosts: before.hosts, secrets: before.secrets }, now);
    // Cached per library entry, because many steps may use the same long script.
    const known = new Map<unknown, boolean>();
    return (index) => {
      const step = snapshot.plan.steps[index];
      const earlier = was.plan.steps.find(({ key }) => key === step?.key);
      if (!values || toCanonicalJson(step) !== toCanonicalJson(earlier)) return false;
      const using = findUsedContent(snapshot, step);
      const isSameContent = known.get(using) ?? toContentText(using) === toContentText(findUsedContent(was, earlier));
      known.set(using, isSameContent);
      return isSameContent;
    };
  }
}

type SnapshotStep = Snapshot['plan']['steps'][number];

interface HostOrRunValues {
  snapshot: Pick<Snapshot, 'variables' | 'scopes'>;
  hosts: readonly FrozenHost[];
  secrets: Readonly<Record<string, string>>;
}

function hasSameValues(was: HostOrRunValues, now: HostOrRunValues): boolean {
  const shared = ({ snapshot, secrets }: HostOrRunValues) =>
    toCanonicalJson([snapshot.variables, snapshot.scopes ?? [], getSharedValues(secrets)]);
  if (shared(was) !== shared(now)) return false;
  const own = ({ secrets }: HostOrRunValues, { variables, secrets: places }: FrozenHost) =>
    toCanonicalJson([
      variables ?? {},
      Object.entries(places ?? {})
        .map(([name, { at }]) => [name, at === null ? null : (secrets[at] ?? null)])
        .sort(),
    ]);
  const before = new Map(was.hosts.map((host) => [host.server_id, host]));
  return now.hosts.every((host) => {
    const earlier = before.get(host.server_id);
    return earlier === undefined || own(was, earlier) === own(now, host);
  });
}

const toServerId = ({ server_id }: FrozenHost): string => server_id;
const toCanonicalJson = (value: unknown): string => canonicalize(value) ?? '';

/** Returns the library content of a step: the shared record of a script or template, or the SHA-256 of a file. */
function findUsedContent({ library }: Snapshot, step: SnapshotStep | undefined): object | string | null {
  const content = step ? findFrozenContent(step, library) : null;
  return content && 'sha256' in content ? content.sha256 : content;
}

/** Omits the commit: only equal content counts. */
const toContentText = (using: object | string | null): string =>
  toCanonicalJson(typeof using === 'object' && using !== null ? { ...using, git: undefined } : using);

function toContinuedSteps(
  snapshot: Snapshot,
  hosts: readonly FrozenHost[],
  waivedSteps: ReadonlySet<string>,
  isSame: (index: number) => boolean,
): ContinuedStep[] {
  const { plan, library } = snapshot;
  const reading = indexReadableSteps(snapshot);
  return plan.steps.map((step, index) => ({
    key: step.key,
    gate: step.type === 'gate',
    placeholder: isPlaceholder(step),
    runOnce: step.runOnce,
    always: step.always,
    onlyIfChanged: step.onlyIfChanged,
    references: listStepReferences(reading, index, library),
    targets: new Set(listTargetIds(step.targets, hosts)),
    same: isSame(index),
    waived: waivedSteps.has(step.key),
  }));
}

function listMissingHostResults(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  hosts: readonly FrozenHost[],
  { runs }: Continuation,
): StepHostIds[] {
  const hostsByStep = new Map(runs.map(({ step, hosts: ids }) => [step, new Set(ids)]));
  const gaps = new Map<number, string[]>();
  for (const [host, missingSteps] of listUnfinishedSteps(steps, results, hosts.map(toServerId))) {
    for (const step of missingSteps) {
      const running = hostsByStep.get(step);
      // A `runOnce` step counts for all hosts when one of them runs it.
      if (running && (running.has(host) || steps[step]?.runOnce)) continue;
      gaps.set(step, [...(gaps.get(step) ?? []), host]);
    }
  }
  return [...gaps].sort(([a], [b]) => a - b).map(([step, ids]) => ({ step, hosts: ids }));
}

export function describeMissingResults({ run, continuation }: ContinuedStart): MissingResults[] {
  const { steps } = run.snapshot.plan;
  const names = new Map(run.hosts.map(({ server_id, name }) => [server_id, name]));
  return continuation.missing.map(({ step, needs, hosts }) => ({
    stepKey: steps[step]?.key ?? '',
    needs,
    count: hosts.length,
    hosts: hosts.slice(0, MAX_NAMED_HOSTS).map((serverId) => ({ serverId, name: names.get(serverId) ?? '' })),
  }));
}

/** @throws Problem 409 `missing_results` when steps refer to results that do not exist */
export function requireNeededResults(start: ContinuedStart): void {
  const missing = describeMissingResults(start);
  if (missing.length === 0) return;
  const sentences = missing.slice(0, 3).map(({ stepKey, needs, hosts, count }) => {
    const names = hosts.slice(0, 5).map(({ name }) => `"${name}"`);
    const more = count > names.length ? ` and ${count - names.length} more` : '';
    return `Step "${stepKey}" uses the result of "${needs}", but no result can be inherited for ${names.join(', ')}${more}.`;
  });
  throw conflict(
    'missing_results',
    `${sentences.join(' ')} Begin at an earlier step, choose other hosts, or set acceptGaps.`,
    { missing },
  );
}
