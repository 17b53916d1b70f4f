import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EnvironmentsModule } from '../../environments/environments.module.js';
import { GitSourcesModule } from '../../git-sources/git-sources.module.js';
import { InventoryModule } from '../../inventory/inventory.module.js';
import { KeysModule } from '../../keys/keys.module.js';
import { ScriptsModule } from '../../scripts/scripts.module.js';
import { TemplatesModule } from '../../templates/templates.module.js';
import { PlansModule } from '../../plans/plans.module.js';
import { ApprovalRounds } from '../approval/approval-rounds.js';
import { UnapprovedAuthors } from '../approval/unapproved-authors.js';
import { ClearanceCheck } from '../approval/clearance.js';
import { HostCheck } from '../engine/recovery/host-check.js';
import { RunContextLoader } from '../engine/connections/run-context.js';
import { RunWorker } from '../engine/worker/run-worker.js';
import { RunReaches } from '../engine/connections/run-reach.js';
import { RunSecrets } from '../record/run-secrets.js';
import { RetentionWorker } from '../retention/retention-worker.js';
import { RunStore } from '../store/run-store.js';

/** The worker's half of the room: drives runs. */
@Module({
  imports: [
    AuditModule,
    EnvironmentsModule,
    GitSourcesModule,
    InventoryModule,
    KeysModule,
    PlansModule,
    ScriptsModule,
    TemplatesModule,
  ],
  providers: [
    RunStore,
    RunSecrets,
    ApprovalRounds,
    UnapprovedAuthors,
    ClearanceCheck,
    RunContextLoader,
    RunReaches,
    HostCheck,
    RunWorker,
    RetentionWorker,
  ],
  exports: [RunWorker],
})
export class EngineModule {}
