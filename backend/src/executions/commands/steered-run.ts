import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { lockHead, type RunHead, type RunRef } from '../record/run-head.js';

export interface SteeredRun {
  ref: RunRef;
  head: RunHead;
}

@Injectable()
export class SteeredRuns {
  constructor(
    private readonly executions: ExecutionsReader,
    private readonly environments: EnvironmentReader,
  ) {}

  /** @throws Problem 404; 403 `grant_required` */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<SteeredRun> {
    const seen = await this.executions.getVisibleRun(tx, caller, id);
    // A run whose environment was deleted is visible only to admins, who need no grant.
    if (caller.role !== 'admin') await this.environments.requireRunnable(tx, caller, seen.environment_id);
    const ref = { tenantId: caller.tenantId, executionId: id };
    const head = await lockHead(tx, ref);
    if (!head) throw new Error('A run that was just read no longer exists.');
    return { ref, head };
  }
}
