import { Module } from '@nestjs/common';
import { ClearanceCheck } from '../approval/clearance.js';
import { HostCheck } from '../engine/recovery/host-check.js';
import { RunContextLoader } from '../engine/connections/run-context.js';
import { AdvanceRunJobs, RunSliceJobs, RunWorker } from '../engine/worker/run-worker.js';
import { HostReachabilityFactory } from '../engine/connections/run-reach.js';
import { RetentionWorker } from '../retention/retention-worker.js';
import { RunStore } from '../store/run-store.js';
import { AcceptedRunsModule } from './accepted-runs.module.js';

@Module({
  imports: [AcceptedRunsModule],
  providers: [
    RunStore,
    ClearanceCheck,
    RunContextLoader,
    HostReachabilityFactory,
    HostCheck,
    RunWorker,
    AdvanceRunJobs,
    RunSliceJobs,
    RetentionWorker,
  ],
})
export class EngineModule {}
