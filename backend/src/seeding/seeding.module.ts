import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { SeedTenant } from './seed-tenant.js';

@Module({
  imports: [AuditModule, KeysModule, TenancyModule],
  providers: [SeedTenant],
  exports: [SeedTenant],
})
export class SeedingModule {}
