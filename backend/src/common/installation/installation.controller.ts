import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { Public } from '../access/policy.js';
import { Route } from '../http/route.js';
import { toResumeAdvice, toStateHeader, InstallationWatch } from './installation-state.js';
import { InstallationView } from './installation.view.js';
import { toReason } from '../http/reason.view.js';

/** Public state of the installation, without tenant data. */
@ApiTags('Health')
@Controller('api/installation')
export class InstallationController {
  constructor(private readonly watch: InstallationWatch) {}

  @Get()
  @Public()
  @Route({
    id: 'getInstallation',
    summary: 'Get the state of the installation',
    description:
      'Reports whether the installation is active, draining or held, the reason, and how an operator ends it. While it is not active, every answer carries the header `Runward-Installation`.',
    answer: InstallationView,
    open: true,
  })
  get(): InstallationView {
    const { state, cause, reason, since } = this.watch.current;
    const code = cause && (cause === 'copy' ? 'copied_installation' : 'stopped_by_operator');
    return {
      state,
      reason: toReason(code, reason),
      howToEnd: toResumeAdvice(this.watch.current),
      since: since.toISOString(),
    };
  }
}

/** Adds `Runward-Installation` to every response while the installation is not active. */
export const createStateHeaderMiddleware =
  (watch: InstallationWatch) =>
  (_request: Request, response: Response, next: NextFunction): void => {
    const value = toStateHeader(watch.current);
    if (value !== null) response.setHeader('Runward-Installation', value);
    next();
  };
