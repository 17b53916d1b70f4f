import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../common/access/policy.js';
import { Route } from '../../common/http/route.js';
// `npm run build:api` generates the file from the fields of the API.
import schema from './plan-schema.json' with { type: 'json' };

@ApiTags('Documentation')
@Controller('api/schemas')
export class PlanSchemaController {
  @Get('plan.json')
  @Public()
  @Route({
    id: 'getPlanSchema',
    summary: 'Get the JSON schema of plan texts',
    description:
      'JSON schema 2020-12 of the text that `GET /api/plans/{id}/export` writes and `POST /api/plans/import` reads. For completion in editors, reference it in the first line: `# yaml-language-server: $schema=…`.',
    answer: null,
    files: [
      {
        media: 'application/schema+json',
        size: 'at most 256 KiB',
        schema: { type: 'object', additionalProperties: true },
      },
    ],
    open: true,
  })
  get(@Res() response: Response): void {
    response.type('application/schema+json').send(JSON.stringify(schema));
  }
}
