import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EnvironmentsModule } from '../../environments/environments.module.js';
import { GitSourcesModule } from '../../git-sources/git-sources.module.js';
import { InventoryModule } from '../../inventory/inventory.module.js';
import { PlansModule } from '../../plans/plans.module.js';
import { KeysModule } from '../../keys/keys.module.js';
import { ScriptsModule } from '../../scripts/scripts.module.js';
import { TemplatesModule } from '../../templates/templates.module.js';
import { ApprovalRounds } from '../approval/approval-rounds.js';
import { UnapprovedAuthors } from '../approval/unapproved-authors.js';
import { ClearanceCheck } from '../approval/clearance.js';
import { AcceptRun } from '../commands/start/accept-run.js';
import { AnswerPause } from '../commands/answer-pause.js';
import { CancelExecution } from '../commands/cancel-execution.js';
import { FreezeLibrary } from '../commands/start/freezing/freeze-library.js';
import { OverlapReport } from '../queries/overlap-report.js';
import { DecideApproval } from '../commands/decide-approval.js';
import { ContinueRun } from '../commands/start/continue-run.js';
import { ExpectedDigest } from '../commands/start/expected-digest.js';
import { PrepareRun } from '../commands/start/prepare-run.js';
import { RerunExecution } from '../commands/start/rerun-execution.js';
import { ResolveHost } from '../commands/resolve-host.js';
import { SteerExecution } from '../commands/steer-execution.js';
import { SteeredRuns } from '../commands/steered-run.js';
import { StartExecution } from '../commands/start/start-execution.js';
import { InheritedReader } from '../queries/inherited.reader.js';
import { ExecutionWait } from '../queries/execution-wait.js';
import { ExecutionSteeringController } from './execution-steering.controller.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { EventStream } from '../stream/event-stream.js';
import { OutputReader } from '../stream/output.reader.js';
import { RunFeeds } from '../stream/run-feed.js';
import { ResultsReader } from '../queries/results.reader.js';
import { FrozenRuns } from '../review/frozen-runs.js';
import { ReviewReader } from '../review/review.reader.js';
import { RunForecast } from '../queries/run-forecast.js';
import { RunDetailReader } from '../queries/run-detail.reader.js';
import { RunSecrets } from '../record/run-secrets.js';
import { DeleteExecution } from '../retention/delete-execution.js';
import { PinExecution } from '../retention/pin-execution.js';
import { ExecutionRetentionController, RetentionController } from '../retention/retention.controller.js';
import { RetentionReader } from '../retention/retention.reader.js';
import { RetentionService } from '../retention/retention.service.js';
import { RunStore } from '../store/run-store.js';

/** The API's half of the room; the worker's half is `engine.module.ts`. */
@Module({
  imports: [
    AuditModule,
    EnvironmentsModule,
    GitSourcesModule,
    InventoryModule,
    KeysModule,
    ScriptsModule,
    TemplatesModule,
    PlansModule,
  ],
  controllers: [ExecutionsController, ExecutionSteeringController, RetentionController, ExecutionRetentionController],
  providers: [
    StartExecution,
    CancelExecution,
    OverlapReport,
    ExecutionsReader,
    ExecutionWait,
    ResultsReader,
    InheritedReader,
    OutputReader,
    EventStream,
    RunFeeds,
    RunStore,
    RunSecrets,
    RunDetailReader,
    RunForecast,
    FreezeLibrary,
    PrepareRun,
    AcceptRun,
    ExpectedDigest,
    RerunExecution,
    ContinueRun,
    DecideApproval,
    AnswerPause,
    SteerExecution,
    SteeredRuns,
    ResolveHost,
    FrozenRuns,
    ReviewReader,
    ApprovalRounds,
    UnapprovedAuthors,
    ClearanceCheck,
    PinExecution,
    DeleteExecution,
    RetentionReader,
    RetentionService,
  ],
})
export class ExecutionsModule {}
