import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Public } from '../access/policy.js';
import { toDatabaseProblem } from '../database/database-problem.js';
import { databaseFaults } from '../database/database-faults.js';
import { databaseUnusableProblem } from '../errors/problem.js';
import { Route } from '../http/route.js';
import { InstallationWatch } from '../installation/installation-state.js';
import { DiskSpace } from './disk-space.js';
import { HealthView, ReadinessView } from './health.view.js';
import { InstallationHealth } from './installation-health.js';

/** Probes for process supervisors. They reveal nothing about tenants. */
@ApiTags('Health')
@Controller('api/health')
export class HealthController {
  constructor(
    private readonly installation: InstallationHealth,
    private readonly watch: InstallationWatch,
    private readonly disk: DiskSpace,
  ) {}

  @Get('live')
  @Public()
  @Route({ id: 'getLiveness', summary: 'Check that the process is alive', answer: HealthView, open: true })
  live(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @Route({
    id: 'getReadiness',
    summary: 'Check that the server answers requests and runs can proceed',
    answer: ReadinessView,
    open: true,
  })
  async ready(): Promise<ReadinessView> {
    const state = await this.installation.getHealthState().catch((error: unknown) => {
      throw toDatabaseProblem(error) ?? databaseUnusableProblem();
    });
    const { writeCause } = databaseFaults;
    if (writeCause) throw databaseUnusableProblem(writeCause);
    const diskSpace = await this.disk.getDiskState();
    return { status: 'ok', installation: this.watch.current.state, ...state, diskSpace };
  }
}
