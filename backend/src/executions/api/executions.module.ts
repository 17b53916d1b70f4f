import { Module } from '@nestjs/common';
import { ClearanceCheck } from '../approval/clearance.js';
import { RunPeopleReader } from '../notices/run-people.reader.js';
import { AnswerPause } from '../commands/answer-pause.js';
import { CancelExecution } from '../commands/cancel-execution.js';
import { DecideApproval } from '../commands/decide-approval.js';
import { ContinueRun } from '../commands/start/continue-run.js';
import { RerunExecution } from '../commands/start/rerun-execution.js';
import { ResolveHost } from '../commands/resolve-host.js';
import { SteerExecution } from '../commands/steer-execution.js';
import { SteeredRuns } from '../commands/steered-run.js';
import { PredictionsReader } from '../results/predictions.reader.js';
import { FailureCausesReader } from '../results/failure-causes.reader.js';
import { InheritedReader } from '../results/inherited.reader.js';
import { ExecutionWait } from '../queries/execution-wait.js';
import { ExecutionSteeringController } from './execution-steering.controller.js';
import { ExecutionsController } from './executions.controller.js';
import { EventStream } from '../stream/event-stream.js';
import { OutputReader } from '../stream/output.reader.js';
import { ChunkScan } from '../stream/chunk-scan.js';
import { BatchSearches } from '../stream/search/batch-search.js';
import { OutputSearchReader } from '../stream/search/output-search.reader.js';
import { OutputWindowReader } from '../stream/window/output-window.reader.js';
import { RunFeeds } from '../stream/run-feed.js';
import { ResultsExport } from '../results/results-export.js';
import { ResultGridReader } from '../results/result-grid.reader.js';
import { ResultsReader } from '../results/results.reader.js';
import { ComparisonReader } from '../review/comparison.reader.js';
import { ReviewReader } from '../review/review.reader.js';
import { DeleteExecution } from '../retention/delete-execution.js';
import { PinExecution } from '../retention/pin-execution.js';
import { ExecutionRetentionController, RetentionController } from '../retention/retention.controller.js';
import { RetentionReader } from '../retention/retention.reader.js';
import { RetentionService } from '../retention/retention.service.js';
import { RunMetrics } from '../queries/run-metrics.js';
import { RunStore } from '../store/run-store.js';
import { StartModule } from './start.module.js';

@Module({
  imports: [StartModule],
  controllers: [ExecutionsController, ExecutionSteeringController, RetentionController, ExecutionRetentionController],
  providers: [
    CancelExecution,
    ExecutionWait,
    ResultsReader,
    ResultGridReader,
    ResultsExport,
    InheritedReader,
    FailureCausesReader,
    PredictionsReader,
    OutputReader,
    OutputWindowReader,
    ChunkScan,
    BatchSearches,
    OutputSearchReader,
    EventStream,
    RunFeeds,
    RunStore,
    RerunExecution,
    ContinueRun,
    DecideApproval,
    AnswerPause,
    SteerExecution,
    SteeredRuns,
    ResolveHost,
    ReviewReader,
    RunPeopleReader,
    ComparisonReader,
    ClearanceCheck,
    PinExecution,
    DeleteExecution,
    RetentionReader,
    RetentionService,
    RunMetrics,
  ],
})
export class ExecutionsModule {}
