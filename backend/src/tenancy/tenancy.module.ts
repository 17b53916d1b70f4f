import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { TenantCreation } from './create-tenant.js';

@Module({ imports: [AuditModule], providers: [TenantCreation], exports: [TenantCreation] })
export class TenancyModule {}
