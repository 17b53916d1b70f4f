import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { EnrolmentCreation } from './create-enrolment.js';
import { CreateEnrolmentRequest, ListEnrolmentsQuery } from './enrolments.dto.js';
import { EnrolmentsReader } from './enrolments.reader.js';
import { CreatedEnrolmentView, EnrolmentListView, EnrolmentView } from './enrolments.view.js';

@ApiTags('Inventory')
@Controller('api/inventory/enrolments')
export class EnrolmentsController {
  constructor(
    private readonly enrolments: EnrolmentsReader,
    private readonly creation: EnrolmentCreation,
  ) {}

  @Get()
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listEnrolments',
    summary: 'List enrolments of hosts, newest first',
    answer: EnrolmentListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListEnrolmentsQuery): Promise<EnrolmentListView> {
    return this.enrolments.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer', { reach: 'environment' })
  @Route({ id: 'getEnrolment', summary: 'Get an enrolment', answer: EnrolmentView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<EnrolmentView> {
    return this.enrolments.get(caller, id);
  }

  @Post()
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'createEnrolment',
    summary: 'Create an enrolment for one host',
    description:
      'Returns, once, a token and the command for cloud-init or a root shell of the host. The host reports its address and its public host keys, which Runward pins. The script adds the public key of `sshKeyId` to the `authorized_keys` of the user. Runward then signs in, through the jump server if one is set. When the host registers, Runward checks the permissions of the caller again.',
    answer: CreatedEnrolmentView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateEnrolmentRequest): Promise<CreatedEnrolmentView> {
    return this.creation.createEnrolment(caller, body);
  }

  @Delete(':id')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'revokeEnrolment',
    summary: 'Revoke an enrolment',
    description: 'Its token becomes invalid, also for the host that used it. The server stays.',
    answer: null,
    problems: [404, 409],
  })
  revoke(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.creation.revokeEnrolment(caller, id);
  }
}
