import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ServerView } from '../servers.view.js';
import { ServerChecker } from './server-check.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers')
export class ChecksController {
  constructor(private readonly checker: ServerChecker) {}

  @Post(':id/check')
  @Requires('operator')
  @Route({
    id: 'checkServer',
    summary: 'Try the connection to a server',
    description:
      'Looks at the host key and, when it is the pinned one, signs in. Runs no command. The answer tells what was found.',
    answer: ServerView,
    problems: [404, 409],
  })
  check(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.checker.check(caller, id);
  }
}
