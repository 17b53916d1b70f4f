import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { InventoryModule } from '../inventory/inventory.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { PlansModule } from '../plans/plans.module.js';
import { ApprovalRounds } from './approval/approval-rounds.js';
import { ClearanceCheck } from './approval/clearance.js';
import { HostCheck } from './engine/host-check.js';
import { RunMaterials } from './engine/run-material.js';
import { RunWorker } from './engine/run-worker.js';
import { RunReaches } from './machines/run-reach.js';
import { RunSecrets } from './run-secrets.js';
import { RunStore } from './run-store.js';

/** The worker's half of the room: drives runs. */
@Module({
  imports: [AuditModule, EnvironmentsModule, InventoryModule, KeysModule, PlansModule, TemplatesModule],
  providers: [RunStore, RunSecrets, ApprovalRounds, ClearanceCheck, RunMaterials, RunReaches, HostCheck, RunWorker],
  exports: [RunWorker],
})
export class EngineModule {}
