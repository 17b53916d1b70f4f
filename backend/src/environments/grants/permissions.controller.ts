import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Route } from '../../common/http/route.js';
import { EnvironmentReader } from '../environment.reader.js';
import {
  describeApprovers,
  describeRunners,
  EnvironmentPermissionsView,
  MAX_PERMITTED_NAMES,
  toPeopleView,
} from './permitted-people.view.js';

@ApiTags('Environments')
@Controller('api/environments/:id/permissions')
export class EnvironmentPermissionsController {
  constructor(
    private readonly units: UnitOfWork,
    private readonly environments: EnvironmentReader,
  ) {}

  @Get()
  @Requires('viewer', { reach: 'plan' })
  @Route({
    id: 'getEnvironmentPermissions',
    summary: 'Get the people who may act in an environment',
    description: 'Names a few of the people who may start runs, approve runs or give grants there, with the rule.',
    answer: EnvironmentPermissionsView,
    problems: [404],
  })
  permissions(@Caller() caller: Principal, @Param('id') id: string): Promise<EnvironmentPermissionsView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const { name } = await this.environments.findVisibleEnvironment(tx, caller, id);
      const { tenantId } = caller;
      const { access, runners, admins } = await this.environments.listRunners(tx, tenantId, id, MAX_PERMITTED_NAMES);
      const approvers = await this.environments.listApprovers(tx, tenantId, id);
      const names = approvers.slice(0, MAX_PERMITTED_NAMES).map((approver) => approver.name);
      return {
        run: toPeopleView(runners, describeRunners(access, name)),
        approve: toPeopleView({ count: approvers.length, names }, describeApprovers(name)),
        administer: toPeopleView(admins, 'admins'),
      };
    });
  }
}
