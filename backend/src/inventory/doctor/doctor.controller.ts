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
    summary: 'Find out what is wrong with the connection to a server',
    description:
      'Goes the way of a run: name, TCP, SSH, host key, login, shell, journal, sudo. Each part tells how long it took and, where something is wrong, what to do; after the first that failed the rest is skipped. Nothing is signed in to before a host key is pinned, no command of a person is run, and nothing is changed on the host. What was found becomes the last check of the server. It takes 30 seconds at the most.',
    answer: DiagnosisView,
    problems: [404, 409],
  })
  diagnose(@Caller() caller: Principal, @Param('id') id: string): Promise<DiagnosisView> {
    return this.doctor.diagnose(caller, id);
  }
}
