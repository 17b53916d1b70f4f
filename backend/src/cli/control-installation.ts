import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { StartError } from '../common/database/start-error.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { livingWorkers } from '../common/queue/worker-heartbeat.js';
import { describeLocation, raiseIncarnation, storeBinding } from '../common/installation/bind-installation.js';
import { COPY_REASONS, type InstallationBinding } from '../common/installation/binding.js';
import { claimIdentity } from '../common/installation/identity-socket.js';
import {
  activateInstallation,
  type InstallationState,
  readInstallationState,
  readBindingAndWorkers,
  renewIdentity,
  describeState,
  stopInstallation,
  toResumeAdvice,
} from '../common/installation/installation-state.js';
import { TenantCreation } from '../tenancy/create-tenant.js';
import { createAdminActor } from './admin-actor.js';
import { AbandonOriginalWork } from './leave-original.js';

/**
 * Time to wait for the end of the workers, in ms. A worker hands over within 15 s, and counts as gone 15 s after it was
 * killed.
 */
const WORKERS_END_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 200;

/** Reason to resume. `maintained`: ends a hold or drain that an administrator set. */
export type ResumptionMode = 'maintained' | 'original' | 'copy';

/**
 * Holds, drains and resumes the installation for `npm run admin`. Each change is recorded in every tenant's audit
 * trail.
 */
@Injectable()
export class ControlInstallation {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly tenants: TenantCreation,
    private readonly original: AbandonOriginalWork,
  ) {}

  async describeInstallation(): Promise<string[]> {
    const state = await this.readCurrentState();
    const surroundings = await this.units.runWithoutTenant(readBindingAndWorkers);
    return [
      `Installation ${state.identity}, incarnation ${state.incarnation}: ${state.state} since ${state.since.toISOString()}.`,
      `Bound to ${surroundings?.bound ? describeLocation(surroundings.bound) : 'nothing yet'}. Workers: ${surroundings?.workers ?? 0}.`,
      ...(state.state === 'active' ? [] : [describeState(state)]),
    ];
  }

  /** @throws StartError if the installation may be a copy: an administrator must decide that first */
  async stop(to: 'held' | 'draining', reason: string): Promise<InstallationState> {
    const before = await this.readCurrentState();
    if (before.cause === 'copy') throw new StartError(describeState(before));
    const action = to === 'held' ? 'installation.hold' : 'installation.drain';
    return this.changeWithAudit(action, before, (tx) => stopInstallation(tx, { state: to, cause: 'person', reason }));
  }

  /** Waits until no worker is running. @returns number of workers that still run after the time limit */
  async countLivingWorkers(): Promise<number> {
    const deadline = performance.now() + WORKERS_END_TIMEOUT_MS;
    for (;;) {
      const livingCount = await this.units.runWithoutTenant(livingWorkers);
      if (livingCount === 0 || performance.now() > deadline) return livingCount;
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** @returns lines that report the result. @throws StartError if the choice does not fit the state */
  async resumeInstallation(as: ResumptionMode, binding: () => Promise<InstallationBinding>): Promise<string[]> {
    const before = await this.readCurrentState();
    if (as === 'maintained') return this.resumeAfterMaintenance(before);
    return as === 'original'
      ? this.resumeAsOriginal(before, await binding())
      : this.resumeAsCopy(before, await binding());
  }

  private async resumeAfterMaintenance(before: InstallationState): Promise<string[]> {
    if (before.state === 'active') return ['The installation is active already.'];
    if (before.cause === 'copy') throw new StartError(`${before.reason} ${toResumeAdvice(before)}`);
    await this.changeWithAudit('installation.resume', before, activateInstallation);
    return ['The installation is active again.'];
  }

  private async resumeAsOriginal(before: InstallationState, binding: InstallationBinding): Promise<string[]> {
    if (before.reason === COPY_REASONS.running) await requireNoRunningProcess(before.identity);
    const { incarnation } = await this.changeWithAudit('installation.resume_as_original', before, async (tx) => {
      await raiseIncarnation(tx);
      await storeBinding(tx, binding);
      await activateInstallation(tx);
    });
    return [
      `The installation is active, as incarnation ${incarnation} of the original.`,
      'Hosts that it reaches refuse every older incarnation from then on. Stop other copies before they reach a host.',
    ];
  }

  private async resumeAsCopy(before: InstallationState, binding: InstallationBinding): Promise<string[]> {
    // The copy stays held until it has dropped all work of the original.
    const reason = 'This copy is being separated from the original.';
    await this.changeInstallation((tx) => stopInstallation(tx, { state: 'held', cause: 'copy', reason }));
    const lines: string[] = [];
    for (const { id, name } of await this.tenants.list()) {
      const { runs, schedules } = await this.original.abandonWorkOfTenant(id);
      lines.push(
        `${name}: ended ${runs} open runs and disabled ${schedules} schedules; dropped waiting deliveries and jobs.`,
      );
    }
    await this.changeInstallation(async (tx) => {
      await renewIdentity(tx);
      await storeBinding(tx, binding);
      await activateInstallation(tx);
    });
    const { identity } = await this.readCurrentState();
    return [
      ...lines,
      `The installation is active, as ${identity}. It still has the servers, keys and webhooks of the original.`,
    ];
  }

  private async changeWithAudit(
    action: AuditActionName,
    before: InstallationState,
    work: (tx: EntityManager) => Promise<void>,
  ): Promise<InstallationState> {
    const tenants = await this.tenants.list();
    return this.units.runWithoutTenant(async (tx) => {
      await work(tx);
      const after = requireStoredState(await readInstallationState(tx));
      const actors = tenants.map(({ id }) => createAdminActor(id));
      this.audit.recordInEachTenant(tx, actors, {
        action,
        resourceId: after.identity,
        before: toAuditedFacts(before),
        after: toAuditedFacts(after),
      });
      return after;
    });
  }

  private changeInstallation(work: (tx: EntityManager) => Promise<void>): Promise<void> {
    return this.units.runWithoutTenant(work);
  }

  private async readCurrentState(): Promise<InstallationState> {
    return requireStoredState(await this.units.runWithoutTenant(readInstallationState));
  }
}

function requireStoredState(state: InstallationState | undefined): InstallationState {
  if (!state) throw new StartError('This database contains no installation yet. Start Runward first.');
  return state;
}

const toAuditedFacts = ({ state, cause, reason, incarnation }: InstallationState) => ({
  state,
  cause,
  reason,
  incarnation,
});

/** @throws StartError while the original runs on this machine */
async function requireNoRunningProcess(identity: string): Promise<void> {
  const identityClaim = await claimIdentity(identity);
  if (!identityClaim)
    throw new StartError(
      'Another process on this machine runs this installation from another data folder. Stop it first.',
    );
  identityClaim.close();
}
