import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ServerView } from '../servers.view.js';
import { ServerFactsView } from '../facts/facts.view.js';
import { ServerFactsReader } from './server-facts.reader.js';
import { RequestChecksRequest, RequestedChecksView } from './checks.dto.js';
import { CheckRequests } from './request-checks.js';
import { ServerChecker } from './server-check.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers')
export class ChecksController {
  constructor(
    private readonly checker: ServerChecker,
    private readonly requests: CheckRequests,
    private readonly facts: ServerFactsReader,
  ) {}

  @Post('checks')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'requestChecks',
    summary: 'Check many servers as soon as possible',
    description:
      'Workers run these checks before scheduled ones. Follow the progress in `checkedAt` of the servers: `GET /api/inventory/servers?sort=checkedAt`.',
    answer: RequestedChecksView,
    status: 202,
    problems: [400, 404, 409, 413, 415],
  })
  request(@Caller() caller: Principal, @Body() body: RequestChecksRequest): Promise<RequestedChecksView> {
    return this.requests.request(caller, body);
  }

  @Post(':id/check')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'checkServer',
    summary: 'Try the connection to a server',
    description:
      'Reads the host key. If it is the pinned one, also signs in and reads the facts of the host, with a fixed script of Runward that changes nothing there. Runs no command of a user. Returns the result.',
    answer: ServerView,
    problems: [404, 409],
  })
  check(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.checker.check(caller, id);
  }

  @Get(':id/facts')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'getServerFacts',
    summary: 'Get the facts of a server',
    description:
      'Operating system, kernel, processors, memory, disk, boot time, init system and Python, as read by the latest check that signed in. The response includes their age.',
    answer: ServerFactsView,
    problems: [404],
  })
  getFacts(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerFactsView> {
    return this.facts.get(caller, id);
  }
}
