import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { Route } from '../../common/http/route.js';
import { PlanSyncsReader } from './plan-syncs.reader.js';
import { PlanSyncListView } from './plan-syncs.view.js';

@ApiTags('Git sources')
@Controller('api/git-sources')
export class PlanSyncsController {
  constructor(private readonly syncs: PlanSyncsReader) {}

  @Get(':id/plan-syncs')
  @Requires('viewer')
  @Route({
    id: 'listPlanSyncs',
    summary: 'List plan changes by commits of a git source, newest first',
    description: 'The latest 50. A sync without changes adds no entry.',
    answer: PlanSyncListView,
    problems: [400, 404],
  })
  list(@Caller() caller: Principal, @Param('id') id: string, @Query() query: PageQuery): Promise<PlanSyncListView> {
    return this.syncs.list(caller, id, query);
  }
}
