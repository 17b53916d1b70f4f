import { Controller, Get } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { Public } from '../access/policy.js';
import { databaseUnavailable } from '../errors/problem.js';
import { Route } from '../http/route.js';
import { InstallationHealth } from './installation-health.js';

export class HealthView {
  /** @example "ok" */
  status: string;
}

export class ReadinessView {
  /** @example "ok" */
  status: string;

  /**
   * Worker processes that live, in the whole installation. Requests are served without one too, but no run begins.
   * @example 2
   */
  workers: number;

  /**
   * For how many seconds the run that has waited longest for a worker has waited; null when none waits.
   * @example 0
   */
  @ApiProperty({ type: 'integer', nullable: true })
  oldestWaitingSeconds: number | null;
}

/** Probes for whoever supervises the process; they tell nothing of any tenant. */
@ApiTags('Health')
@Controller('api/health')
export class HealthController {
  constructor(private readonly installation: InstallationHealth) {}

  @Get('live')
  @Public()
  @Route({ id: 'getLiveness', summary: 'Tell whether the process lives', answer: HealthView, open: true })
  live(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @Route({
    id: 'getReadiness',
    summary: 'Tell whether requests can be served, and whether runs are',
    answer: ReadinessView,
    open: true,
  })
  async ready(): Promise<ReadinessView> {
    const state = await this.installation.state().catch(() => {
      throw databaseUnavailable();
    });
    return { status: 'ok', ...state };
  }
}
