import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { InventoryModule } from '../inventory/inventory.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { CancelExecution } from './commands/cancel-execution.js';
import { OverlapReport } from './commands/overlap-report.js';
import { StartExecution } from './commands/start-execution.js';
import { ExecutionWait } from './execution-wait.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsReader } from './executions.reader.js';
import { EventStream } from './output/event-stream.js';
import { OutputReader } from './output/output.reader.js';
import { RunFeeds } from './output/run-feed.js';
import { ResultsReader } from './results.reader.js';
import { RunStore } from './run-store.js';

/** The API's half of the room; the worker's half is `engine.module.ts`. */
@Module({
  imports: [AuditModule, EnvironmentsModule, InventoryModule, PlansModule],
  controllers: [ExecutionsController],
  providers: [
    StartExecution,
    CancelExecution,
    OverlapReport,
    ExecutionsReader,
    ExecutionWait,
    ResultsReader,
    OutputReader,
    EventStream,
    RunFeeds,
    RunStore,
  ],
})
export class ExecutionsModule {}
