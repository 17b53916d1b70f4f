import { Body, Controller, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../../common/http/if-match.js';
import { Route } from '../../common/http/route.js';
import { AcceptHostKeyRequest, ShareHostKeyRequest } from '../servers.dto.js';
import { ServerView } from '../servers.view.js';
import { HostKeyTrust } from './host-key-trust.js';
import { ServerFactsView } from '../facts/facts.view.js';
import { ServerFactsReader } from './server-facts.reader.js';
import { RequestChecksRequest, RequestedChecksView } from './checks.dto.js';
import { RequestChecks } from './request-checks.js';
import { ServerChecker } from './server-check.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers')
export class ChecksController {
  constructor(
    private readonly checker: ServerChecker,
    private readonly requests: RequestChecks,
    private readonly trust: HostKeyTrust,
    private readonly facts: ServerFactsReader,
  ) {}

  @Post('checks')
  @Requires('operator')
  @Route({
    id: 'requestChecks',
    summary: 'Check many servers as soon as possible',
    description:
      'Workers check them as they do by themselves, before all that are due. Follow it by `checkedAt` of the servers: `GET /api/inventory/servers?sort=checkedAt`.',
    answer: RequestedChecksView,
    status: 202,
    problems: [400, 404, 409, 413, 415],
  })
  request(@Caller() caller: Principal, @Body() body: RequestChecksRequest): Promise<RequestedChecksView> {
    return this.requests.request(caller, body);
  }

  @Post(':id/check')
  @Requires('operator')
  @Route({
    id: 'checkServer',
    summary: 'Try the connection to a server',
    description:
      'Looks at the host key and, when it is the pinned one, signs in and reads the facts of the host, by a fixed text of Runward that changes nothing there. Runs no command of a person. The answer tells what was found.',
    answer: ServerView,
    problems: [404, 409],
  })
  check(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerView> {
    return this.checker.check(caller, id);
  }

  @Get(':id/facts')
  @Requires('viewer')
  @Route({
    id: 'getServerFacts',
    summary: 'Get what the host told about itself',
    description:
      'Operating system, kernel, processors, memory, disk, start, init system and Python, as the latest check that signed in read them. The answer says how old they are.',
    answer: ServerFactsView,
    problems: [404],
  })
  getFacts(@Caller() caller: Principal, @Param('id') id: string): Promise<ServerFactsView> {
    return this.facts.get(caller, id);
  }

  @Put(':id/host-key')
  @Requires('operator')
  @TakesIfMatch()
  @Route({
    id: 'acceptHostKey',
    summary: 'Accept the host key that the last check saw',
    answer: ServerView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  acceptHostKey(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: AcceptHostKeyRequest,
    @IfMatch() version: number | null,
  ): Promise<ServerView> {
    return this.trust.accept(caller, id, body.fingerprint, version);
  }

  @Put(':id/host-key/shared')
  @Requires('admin')
  @Route({
    id: 'shareHostKey',
    summary: 'Say whether several machines show the pinned host key',
    description:
      'A host that shows the key of a server in another, protected environment is refused as that machine. Where machines were copied with their host keys, mark the key as shared: it then tells no machine from another, for all servers of the tenant with that key. Their addresses are still compared.',
    answer: ServerView,
    problems: [400, 404, 409, 413, 415],
  })
  shareHostKey(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ShareHostKeyRequest,
  ): Promise<ServerView> {
    return this.trust.share(caller, id, body);
  }
}
