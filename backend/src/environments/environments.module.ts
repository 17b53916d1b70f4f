import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentReader } from './environment.reader.js';
import { EnvironmentsController } from './environments.controller.js';
import { EnvironmentsService } from './environments.service.js';
import { GrantsController } from './grants/grants.controller.js';
import { GrantsService } from './grants/grants.service.js';
import { VariableVault } from './variables/variable-vault.js';
import { VariablesController } from './variables/variables.controller.js';
import { VariablesService } from './variables/variables.service.js';

@Module({
  imports: [AuditModule],
  controllers: [EnvironmentsController, GrantsController, VariablesController],
  providers: [EnvironmentsService, GrantsService, VariablesService, EnvironmentReader, VariableVault],
  exports: [EnvironmentReader, VariableVault],
})
export class EnvironmentsModule {}
