import { Module } from '@nestjs/common';
import { AcceptedRunsModule } from '../executions/api/accepted-runs.module.js';
import { ClearanceCheck } from '../executions/approval/clearance.js';
import { RunStore } from '../executions/store/run-store.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { LeaveOriginal } from './leave-original.js';
import { SteerInstallation } from './steer-installation.js';

@Module({
  imports: [AcceptedRunsModule, TenancyModule],
  providers: [RunStore, ClearanceCheck, LeaveOriginal, SteerInstallation],
})
export class InstallationAdminModule {}
