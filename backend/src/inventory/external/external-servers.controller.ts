import { Body, Controller, Get, HttpStatus, Param, Put, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { UpsertServerRequest } from '../servers.dto.js';
import { ServerView } from '../servers.view.js';
import { ServerUpsert } from './server-upsert.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers/by-external-id')
export class ExternalServersController {
  constructor(private readonly upserts: ServerUpsert) {}

  @Get(':source/:externalId')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'getServerByExternalId',
    summary: 'Get a server by external ID',
    answer: ServerView,
    problems: [400, 404],
  })
  get(
    @Caller() caller: Principal,
    @Param('source') source: string,
    @Param('externalId') externalId: string,
  ): Promise<ServerView> {
    return this.upserts.get(caller, source, externalId);
  }

  @Put(':source/:externalId')
  @Requires('operator', { reach: 'environment' })
  @ApiResponse({ status: HttpStatus.CREATED, description: 'Registered.', type: ServerView })
  @Route({
    id: 'upsertServer',
    summary: 'Register or change a server by external ID',
    description:
      'Safe to repeat: 201 = registered, 200 = the server existed. If nothing differs, nothing is written or audited. Omitted optional fields are not changed. A new address removes the pinned host keys unless the request sends `hostKey` or `hostKeys`.',
    answer: ServerView,
    problems: [400, 404, 409, 413, 415],
  })
  async upsert(
    @Caller() caller: Principal,
    @Param('source') source: string,
    @Param('externalId') externalId: string,
    @Body() body: UpsertServerRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ServerView> {
    const { created, server } = await this.upserts.upsertServer(caller, source, externalId, body);
    if (created) response.status(HttpStatus.CREATED).setHeader('Location', `/api/inventory/servers/${server.id}`);
    return server;
  }
}
