import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { EnvironmentReader } from './environment.reader.js';
import { EnvironmentsController } from './environments.controller.js';
import { EnvironmentsService } from './environments.service.js';
import { GrantsController } from './grants/grants.controller.js';
import { EnvironmentPermissionsController } from './grants/permissions.controller.js';
import { GrantsService } from './grants/grants.service.js';
import {
  OpenProtectionChangesController,
  ProtectionChangesController,
} from './protection-changes/protection-changes.controller.js';
import { ProtectionChangesService } from './protection-changes/protection-changes.service.js';
import { VariableVault } from './variables/variable-vault.js';
import { VariablesController } from './variables/variables.controller.js';
import { VariablesService } from './variables/variables.service.js';

@Module({
  imports: [AuditModule, OutboxModule],
  controllers: [
    EnvironmentsController,
    GrantsController,
    EnvironmentPermissionsController,
    VariablesController,
    ProtectionChangesController,
    OpenProtectionChangesController,
  ],
  providers: [
    EnvironmentsService,
    GrantsService,
    VariablesService,
    ProtectionChangesService,
    EnvironmentReader,
    VariableVault,
  ],
  exports: [EnvironmentReader, VariableVault],
})
export class EnvironmentsModule {}
