import { Module } from '@nestjs/common';
import { AuditHeads } from './audit-heads.js';
import { AuditKey } from './audit-key.js';
import { AuditLogsController } from './audit-logs.controller.js';
import { AuditLogsReader } from './audit-logs.reader.js';
import { AuditTrail } from './audit-trail.js';

@Module({
  controllers: [AuditLogsController],
  providers: [AuditKey, AuditTrail, AuditLogsReader, AuditHeads],
  exports: [AuditTrail, AuditLogsReader],
})
export class AuditModule {}
