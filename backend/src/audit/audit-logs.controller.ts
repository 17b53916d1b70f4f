import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { Route } from '../common/http/route.js';
import { AuditFilterQuery, ListAuditLogsQuery } from './audit-logs.dto.js';
import { AuditLogsReader } from './audit-logs.reader.js';
import { AuditLogListView, AuditLogView, AuditVerificationView } from './audit-logs.view.js';

@ApiTags('Audit trail')
@Controller('api/audit-logs')
export class AuditLogsController {
  constructor(private readonly logs: AuditLogsReader) {}

  @Get()
  @Requires('admin')
  @Route({
    id: 'listAuditLogs',
    summary: 'List audit entries, newest first',
    answer: AuditLogListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListAuditLogsQuery): Promise<AuditLogListView> {
    return this.logs.list(caller, query);
  }

  @Get('export')
  @Requires('admin')
  @Route({
    id: 'exportAuditLogs',
    summary: 'Download audit entries',
    description: 'One JSON object per line, newest first: all entries that match the filter.',
    answer: null,
    files: [
      {
        media: 'application/x-ndjson',
        size: 'all matching entries without a limit, streamed',
        named: true,
        items: AuditLogView,
      },
    ],
    problems: [400],
  })
  export(@Caller() caller: Principal, @Query() query: AuditFilterQuery, @Res() response: Response): Promise<void> {
    return this.logs.exportAuditLogs(caller, query, response);
  }

  @Get('verify')
  @Requires('admin')
  @Route({
    id: 'verifyAuditLogs',
    summary: 'Verify the hash chain of audit entries',
    description: 'Finds entries that were changed, deleted, swapped or cut off in the database.',
    answer: AuditVerificationView,
  })
  verify(@Caller() caller: Principal): Promise<AuditVerificationView> {
    return this.logs.verifyAuditChain(caller);
  }
}
