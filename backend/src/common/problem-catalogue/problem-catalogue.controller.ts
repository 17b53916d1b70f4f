import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../access/policy.js';
import { Route } from '../http/route.js';
import { renderCataloguePage } from './catalogue-page.js';
import { PROBLEM_CATALOGUE, ProblemCatalogueView } from './problem-catalogue.view.js';

/** Target of `type` of every problem. */
@ApiTags('Documentation')
@Controller('api/docs/problems')
export class ProblemCatalogueController {
  private readonly page = renderCataloguePage(PROBLEM_CATALOGUE);

  @Get()
  @Public()
  @Route({
    id: 'listProblems',
    summary: 'List problem codes',
    description: 'Returns an HTML page, or JSON with `Accept: application/json`.',
    answer: ProblemCatalogueView,
    files: [{ media: 'text/html', size: 'at most 1 MiB' }],
    open: true,
  })
  show(@Req() request: Request, @Res({ passthrough: true }) response: Response): ProblemCatalogueView | string {
    response.vary('Accept');
    if (request.accepts(['text/html', 'application/json']) === 'application/json') return PROBLEM_CATALOGUE;
    response.type('text/html');
    return this.page;
  }
}
