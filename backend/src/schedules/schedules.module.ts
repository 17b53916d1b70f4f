import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { InventoryModule } from '../inventory/inventory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { OccurrencesReader } from './occurrences.reader.js';
import { RequestedSchedule } from './requested-schedule.js';
import { RequestedVariables } from './requested-variables.js';
import { ScheduleFires } from './schedule-fires.js';
import { ScheduleMetrics } from './schedule-metrics.js';
import { ScheduleLookup } from './schedule-lookup.js';
import { ScheduleVault } from './records/schedule-vault.js';
import { SchedulesController } from './schedules.controller.js';
import { SchedulesService } from './schedules.service.js';

/** API part of schedules. The worker part is `firing/firing.module.ts`. */
@Module({
  imports: [AuditModule, EnvironmentsModule, InventoryModule, PlansModule],
  controllers: [SchedulesController],
  providers: [
    SchedulesService,
    OccurrencesReader,
    ScheduleLookup,
    ScheduleFires,
    ScheduleVault,
    ScheduleMetrics,
    RequestedSchedule,
    RequestedVariables,
  ],
})
export class SchedulesModule {}
