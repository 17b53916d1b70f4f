import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { TenantCreation } from './create-tenant.js';
import { User } from './directory/user.entity.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { PasswordLinks } from './password-links.js';
import { PasswordReset } from './password-reset.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccountsService } from './service-accounts/service-accounts.service.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([User])],
  controllers: [MembersController, ServiceAccountsController],
  providers: [TenantCreation, MembersService, ServiceAccountsService, PasswordLinks, PasswordReset],
  exports: [TenantCreation, PasswordLinks, PasswordReset],
})
export class TenancyModule {}
