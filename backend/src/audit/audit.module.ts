import { Module } from '@nestjs/common';
import { AuditActors } from './audit-actors.js';
import { AuditHeads } from './audit-heads.js';
import { AuditKey } from './audit-chain.js';
import { AuditLogsController } from './audit-logs.controller.js';
import { AuditLogsReader } from './audit-logs.reader.js';
import { AuditTrail } from './audit-trail.js';
import { PastAudit } from './past-audit.js';

@Module({
  controllers: [AuditLogsController],
  providers: [AuditKey, AuditTrail, AuditLogsReader, AuditHeads, AuditActors, PastAudit],
  exports: [AuditTrail, AuditLogsReader, AuditActors, PastAudit],
})
export class AuditModule {}
