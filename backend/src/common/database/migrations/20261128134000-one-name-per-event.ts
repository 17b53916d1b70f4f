import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';

/** Events of notification rules, by their former name. */
const RULE_EVENTS = {
  approval_requested: 'approval.requested',
  decision_requested: 'decision.requested',
  failed: 'execution.failed',
  partially_succeeded: 'execution.partially_succeeded',
  recovered: 'execution.recovered',
  unknown_results: 'execution.results_unknown',
  rejected_or_expired: 'execution.rejected_or_expired',
  schedule_failed: 'schedule.failed',
  webhook_disabled: 'webhook.disabled',
  protection_changed: 'environment.protection_changed',
} as const;

/** One name per event in the stream, webhooks and rules; one word for a changed host key. Older code lacks the names. */
export class OneNamePerEvent20261128134000 implements MigrationInterface {
  name = 'OneNamePerEvent20261128134000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [before, after] of Object.entries(RULE_EVENTS)) {
      await runner.query(
        'update notification_rules set events = array_replace(events, $1, $2) where $1 = any (events)',
        [before, after],
      );
      await runner.query('update notification_deliveries set event = $2 where event = $1', [before, after]);
    }
    await runner.query(`
      update webhooks set events = array_replace(events, 'environment.protection', 'environment.protection_changed');
      update webhook_messages set type = 'environment.protection_changed' where type = 'environment.protection';
      update outbox_events set type = 'environment.protection_changed' where type = 'environment.protection';
      update outbox_interests set type = 'environment.protection_changed' where type = 'environment.protection';
      update execution_hosts set status = 'HOST_KEY_CHANGED' where status = 'HOST_KEY_MISMATCH';
      update inherited_results set status = 'HOST_KEY_CHANGED' where status = 'HOST_KEY_MISMATCH';
      update host_results set status = 'HOST_KEY_CHANGED' where status = 'HOST_KEY_MISMATCH';
      update host_results set attempt_status = 'HOST_KEY_CHANGED' where attempt_status = 'HOST_KEY_MISMATCH';
      update execution_steps set counts = counts - 'HOST_KEY_MISMATCH'
          || jsonb_build_object('HOST_KEY_CHANGED', counts->'HOST_KEY_MISMATCH')
        where counts ? 'HOST_KEY_MISMATCH'`);
    await closeToOlderCode(runner, 6);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
