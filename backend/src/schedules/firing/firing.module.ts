import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EnvironmentsModule } from '../../environments/environments.module.js';
import { StartModule } from '../../executions/api/start.module.js';
import { OutboxModule } from '../../outbox/outbox.module.js';
import { PlansModule } from '../../plans/plans.module.js';
import { ScriptsModule } from '../../scripts/scripts.module.js';
import { TemplatesModule } from '../../templates/templates.module.js';
import { ScheduleFires } from '../schedule-fires.js';
import { ScheduleVault } from '../records/schedule-vault.js';
import { FireSchedule } from './fire-schedule.js';
import { ScheduleOwner } from './schedule-owner.js';
import { ScheduleWorker } from './schedule-worker.js';
import { FailureNotifier } from './failure-notifier.js';

@Module({
  imports: [AuditModule, EnvironmentsModule, OutboxModule, PlansModule, ScriptsModule, TemplatesModule, StartModule],
  providers: [FireSchedule, ScheduleOwner, ScheduleFires, ScheduleVault, ScheduleWorker, FailureNotifier],
})
export class FiringModule {}
