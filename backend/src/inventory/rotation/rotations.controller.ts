import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { RotationRequests } from './request-rotation.js';
import { RotationHostListView, RotationListView, RotationView } from './rotation.view.js';
import {
  ChosenHostsRequest,
  GetRotationQuery,
  GiveUpHostsRequest,
  ListRotationHostsQuery,
  ListRotationsQuery,
  RotateKeyRequest,
} from './rotations.dto.js';
import { RotationsReader } from './rotations.reader.js';

@ApiTags('SSH keys')
@Controller('api')
export class RotationsController {
  constructor(
    private readonly requests: RotationRequests,
    private readonly rotations: RotationsReader,
  ) {}

  @Post('ssh-keys/:id/rotate')
  @Requires('operator')
  @Route({
    id: 'rotateSshKey',
    summary: 'Rotate an SSH key on all its hosts',
    description:
      'Generates or imports the new key and starts the rotation, which a worker performs. On each host that uses the old key, Runward adds the new public key to `~/.ssh/authorized_keys` with the same options, signs in with the new key, sets the new key on the server, and removes the old public key over a login with the new one. Needs the right to run in every environment of those servers, and to approve in protected ones (403 `grant_required` names the blocking servers). A generated private key is not shown.',
    answer: RotationView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  async begin(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RotateKeyRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RotationView> {
    const rotation = await this.requests.beginRotation(caller, id, body);
    response.setHeader('Location', `/api/key-rotations/${rotation}`);
    return this.rotations.get(caller, rotation);
  }

  @Get('key-rotations')
  @Requires('viewer')
  @Route({
    id: 'listKeyRotations',
    summary: 'List rotations of SSH keys, newest first',
    answer: RotationListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListRotationsQuery): Promise<RotationListView> {
    return this.rotations.list(caller, query);
  }

  @Get('key-rotations/:id')
  @Requires('viewer')
  @Route({ id: 'getKeyRotation', summary: 'Get a rotation', answer: RotationView, problems: [400, 404] })
  get(@Caller() caller: Principal, @Param('id') id: string, @Query() query: GetRotationQuery): Promise<RotationView> {
    return this.rotations.get(caller, id, query.wait);
  }

  @Get('key-rotations/:id/hosts')
  @Requires('viewer')
  @Route({
    id: 'listKeyRotationHosts',
    summary: 'List the progress of a rotation on each host',
    answer: RotationHostListView,
    problems: [400, 404],
  })
  hosts(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListRotationHostsQuery,
  ): Promise<RotationHostListView> {
    return this.rotations.listHosts(caller, id, query);
  }

  @Post('key-rotations/:id/retry')
  @Requires('operator')
  @Route({
    id: 'retryKeyRotation',
    summary: 'Retry failed hosts of a rotation',
    answer: RotationView,
    problems: [400, 404, 409, 413, 415],
  })
  async retry(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ChosenHostsRequest,
  ): Promise<RotationView> {
    await this.requests.retryHosts(caller, id, body);
    return this.rotations.get(caller, id);
  }

  @Post('key-rotations/:id/give-up')
  @Requires('operator')
  @Route({
    id: 'giveUpKeyRotation',
    summary: 'Give up hosts of a rotation',
    description:
      'A server that still uses the old key keeps it. If the server already uses the new key, the old public key may stay on the host. Without `serverIds` all that failed. The rotation ends once every host is done or given up.',
    answer: RotationView,
    problems: [400, 404, 409, 413, 415],
  })
  async giveUp(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: GiveUpHostsRequest,
  ): Promise<RotationView> {
    await this.requests.giveUpHosts(caller, id, body);
    return this.rotations.get(caller, id);
  }
}
