import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { DiagnosisView } from './diagnosis.view.js';
import { ServerDoctor } from './server-doctor.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers/:id/diagnose')
export class DoctorController {
  constructor(private readonly doctor: ServerDoctor) {}

  @Post()
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'diagnoseServer',
    summary: 'Diagnose the connection to a server',
    description:
      'Tests the same steps as a run: name, TCP, SSH, host key, login, shell, journal, sudo. Each step reports its duration and, if something is wrong, what to do. Steps after the first failed one are skipped. Runward does not sign in before a host key is pinned, runs no command of a user, and changes nothing on the host. The result becomes the last check of the server. Takes at most 30 seconds.',
    answer: DiagnosisView,
    problems: [404, 409],
  })
  diagnose(@Caller() caller: Principal, @Param('id') id: string): Promise<DiagnosisView> {
    return this.doctor.diagnose(caller, id);
  }
}
