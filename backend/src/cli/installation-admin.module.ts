import { Module } from '@nestjs/common';
import { AcceptedRunsModule } from '../executions/api/accepted-runs.module.js';
import { ClearanceCheck } from '../executions/approval/clearance.js';
import { RunStore } from '../executions/store/run-store.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AbandonOriginalWork } from './leave-original.js';
import { ControlInstallation } from './control-installation.js';

@Module({
  imports: [AcceptedRunsModule, TenancyModule],
  providers: [RunStore, ClearanceCheck, AbandonOriginalWork, ControlInstallation],
})
export class InstallationAdminModule {}
