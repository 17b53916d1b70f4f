import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { isServiceAccount, type Principal } from '../../common/access/principal.js';
import { affected, row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, insufficientRoleProblem, personRequiredProblem, Problem } from '../../common/errors/problem.js';
import { filterIndependentMembers } from '../../tenancy/independent-members.js';
import { SteeredRuns } from '../commands/steered-run.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { LIFT_INTERVAL_SQL } from '../record/execution-row.js';
import { appendEvents } from '../output/run-events.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import type { RunRef } from '../record/run-head.js';

interface PinRequest {
  note?: string | null;
  legalHold?: boolean;
}

interface PinRow {
  by_name: string;
  note: string | null;
  by_admin: boolean;
  legal_hold: boolean;
  /** Admin who requested to lift the legal hold within the last seven days; null = none. */
  lift_by: string | null;
  lift_by_name: string | null;
}

/** Pins a run, or removes the pin. Neither retention nor a member can delete a pinned run. */
@Injectable()
export class PinExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly runs: SteeredRuns,
    private readonly executions: ExecutionsReader,
  ) {}

  /**
   * Pins the run. If the run is under a legal hold, only an admin can call this, to change the note. That cancels a
   * request to lift the hold.
   * @throws Problem 403 `insufficient_role`, `person_required` for a legal hold, `grant_required`; 404; 409
   *   `run_pinned`
   */
  pinExecution(caller: Principal, id: string, { note = null, legalHold = false }: PinRequest): Promise<ExecutionView> {
    if (legalHold) requireAdminInPerson(caller);
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      const before = await findPin(tx, ref);
      if (before?.legal_hold) {
        requireAdminToUnpin(caller, before);
        await affected(
          tx,
          sql`update executions set pin_note = coalesce(${note}::text, pin_note), lift_by = null, lift_by_name = null,
              lift_at = null
            where tenant_id = ${caller.tenantId} and id = ${id}`,
        );
      } else {
        await affected(
          tx,
          sql`update executions set pinned_at = now(), pinned_by = ${caller.userId}, pinned_by_name = ${caller.name},
              pin_note = ${note}, pinned_by_admin = pinned_by_admin or ${caller.role === 'admin'},
              legal_hold = ${legalHold}
            where tenant_id = ${caller.tenantId} and id = ${id}`,
        );
      }
      await appendEvents(tx, ref, []);
      return this.recordAndRead(tx, caller, id, head.plan_name, {
        action: 'execution.pin',
        before: before && { note: before.note, legalHold: before.legal_hold, liftRequestedBy: before.lift_by_name },
        after: { note, legalHold: legalHold || before?.legal_hold === true },
      });
    });
  }

  /**
   * Removes the pin. For a legal hold, the first admin requests the lift and a second admin confirms it.
   * @throws Problem 403 `person_required`, `second_person_required`, `grant_required`; 404; 409 `run_pinned`
   */
  unpinExecution(caller: Principal, id: string): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      const pin = await findPin(tx, ref);
      if (!pin) return this.executions.getInTransaction(tx, caller, id);
      if (pin.by_admin || pin.legal_hold) requireAdminToUnpin(caller, pin);
      if (pin.legal_hold && (pin.lift_by === null || pin.lift_by === caller.userId)) {
        await requestHoldLift(tx, ref, caller);
        await appendEvents(tx, ref, []);
        return this.recordAndRead(tx, caller, id, head.plan_name, { action: 'execution.request_lift' });
      }
      if (pin.legal_hold && pin.lift_by !== null) await this.requireIndependentAdmin(tx, caller, pin.lift_by);
      await affected(
        tx,
        sql`update executions set pinned_at = null, pinned_by = null, pinned_by_name = null, pin_note = null,
            pinned_by_admin = false, legal_hold = false, lift_by = null, lift_by_name = null, lift_at = null
          where tenant_id = ${caller.tenantId} and id = ${id}`,
      );
      await appendEvents(tx, ref, []);
      const { by_name: pinnedBy, legal_hold: legalHold, lift_by_name: liftRequestedBy } = pin;
      const before = { pinnedBy, legalHold, liftRequestedBy };
      return this.recordAndRead(tx, caller, id, head.plan_name, { action: 'execution.unpin', before });
    });
  }

  /** @throws Problem 403 `second_person_required` */
  private async requireIndependentAdmin(tx: EntityManager, caller: Principal, liftBy: string): Promise<void> {
    if ((await filterIndependentMembers(tx, caller.tenantId, liftBy, [caller.userId])).length > 0) return;
    throw new Problem(
      'second_person_required',
      'You and the admin who requested to lift the hold are not independent: within seven days one of you gave the other a right, or one member gave both of you a right. Another admin has to lift it.',
    );
  }

  private async recordAndRead(
    tx: EntityManager,
    caller: Principal,
    id: string,
    planName: string,
    fact: { action: AuditActionName; before?: object | null; after?: object },
  ): Promise<ExecutionView> {
    await this.audit.record(tx, caller, {
      ...fact,
      resourceId: id,
      resourceName: planName,
    });
    return this.executions.getInTransaction(tx, caller, id);
  }
}

/** Returns the pin; null = the run is not pinned. */
async function findPin(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<PinRow | null> {
  const pin = await row(
    tx,
    // A pinned run always has a name in `pinned_by_name`.
    sql<PinRow>`select coalesce(pinned_by_name, '') as by_name, pin_note as note, pinned_by_admin as by_admin, legal_hold, lift_by_name,
        case when lift_at > now() - ${LIFT_INTERVAL_SQL} then lift_by end as lift_by
      from executions where tenant_id = ${tenantId} and id = ${executionId} and pinned_at is not null`,
  );
  return pin ?? null;
}

const requestHoldLift = (tx: EntityManager, { tenantId, executionId }: RunRef, caller: Principal): Promise<unknown> =>
  affected(
    tx,
    sql`update executions set lift_by = ${caller.userId}, lift_by_name = ${caller.name}, lift_at = now()
      where tenant_id = ${tenantId} and id = ${executionId}`,
  );

/** @throws Problem 403 `insufficient_role`, `person_required` */
function requireAdminInPerson(caller: Principal): void {
  if (caller.role !== 'admin') throw insufficientRoleProblem('admin');
  if (isServiceAccount(caller)) throw personRequiredProblem();
}

/** @throws Problem 409 `run_pinned`; 403 `person_required` */
function requireAdminToUnpin(caller: Principal, pin: PinRow): void {
  if (caller.role !== 'admin') {
    throw conflict(
      'run_pinned',
      pin.legal_hold
        ? `${pin.by_name} put the run under a legal hold. Only admins can change that.`
        : `${pin.by_name} pinned the run as an admin. Only an admin can unpin it.`,
    );
  }
  if (isServiceAccount(caller)) throw personRequiredProblem();
}
