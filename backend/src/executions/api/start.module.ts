import { Module } from '@nestjs/common';
import { AcceptRun } from '../commands/start/accept-run.js';
import { ExpectedDigestCheck } from '../commands/start/expected-digest.js';
import { FreezeLibrary } from '../commands/start/freezing/freeze-library.js';
import { PrepareRun } from '../commands/start/prepare-run.js';
import { StartAuthors } from '../commands/start/start-authors.js';
import { StartExecution } from '../commands/start/start-execution.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { OverlapReport } from '../queries/overlap-report.js';
import { RunDetailReader } from '../queries/run-detail.reader.js';
import { RunForecast } from '../queries/run-forecast.js';
import { FrozenRuns } from '../review/frozen-runs.js';
import { AcceptedRunsModule } from './accepted-runs.module.js';

const PROVIDERS = [
  StartExecution,
  PrepareRun,
  AcceptRun,
  ExpectedDigestCheck,
  StartAuthors,
  FreezeLibrary,
  FrozenRuns,
  ExecutionsReader,
  RunDetailReader,
  RunForecast,
  OverlapReport,
];

@Module({
  imports: [AcceptedRunsModule],
  providers: PROVIDERS,
  exports: [AcceptedRunsModule, ...PROVIDERS],
})
export class StartModule {}
