import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { TenantCreation } from './create-tenant.js';
import { User } from './directory/user.entity.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { PasswordLinks } from './password-links.js';
import { PasswordReset } from './password-reset.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([User])],
  controllers: [MembersController],
  providers: [TenantCreation, MembersService, PasswordLinks, PasswordReset],
  exports: [TenantCreation, PasswordLinks, PasswordReset],
})
export class TenancyModule {}
