import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { TenantCreation } from './create-tenant.js';
import { User } from './user.entity.js';

@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([User])],
  providers: [TenantCreation],
  exports: [TenantCreation],
})
export class TenancyModule {}
