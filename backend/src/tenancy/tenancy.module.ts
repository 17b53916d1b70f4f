import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { TenantCreation } from './create-tenant.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { PasswordLinks } from './passwords/password-links.js';
import { PasswordReset } from './passwords/password-reset.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccountsService } from './service-accounts/service-accounts.service.js';

@Module({
  imports: [AuditModule],
  controllers: [MembersController, ServiceAccountsController],
  providers: [TenantCreation, MembersService, ServiceAccountsService, PasswordLinks, PasswordReset],
  exports: [TenantCreation, PasswordLinks, PasswordReset],
})
export class TenancyModule {}
