import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../access/policy.js';
import { databaseUnavailable } from '../errors/problem.js';
import { Route } from '../http/route.js';
import { HealthView } from './health.view.js';

/** Probes for whoever supervises the process; they tell nothing of any tenant. */
@ApiTags('Health')
@Controller('api/health')
export class HealthController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('live')
  @Public()
  @Route({ id: 'getLiveness', summary: 'Tell whether the process lives', answer: HealthView, open: true })
  live(): HealthView {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @Route({ id: 'getReadiness', summary: 'Tell whether requests can be served', answer: HealthView, open: true })
  async ready(): Promise<HealthView> {
    try {
      await this.dataSource.query('select 1');
    } catch {
      throw databaseUnavailable();
    }
    return { status: 'ok' };
  }
}
