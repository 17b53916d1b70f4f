import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ImportEntryListView, ImportListView, ImportView } from './orders/import.view.js';
import {
  GetImportQuery,
  ImportServersQuery,
  ImportServersRequest,
  ListImportEntriesQuery,
  ListImportsQuery,
  IMPORT_LIMIT_MIB,
} from './orders/imports.dto.js';
import { ImportsReader } from './orders/imports.reader.js';
import { ImportRequests } from './request-import.js';

/** Space for 10,000 servers of about 400 characters each. */
const IMPORTS_PATH = '/api/inventory/imports';

@ApiTags('Inventory')
@Controller('api/inventory')
export class ImportsController {
  constructor(
    private readonly requests: ImportRequests,
    private readonly imports: ImportsReader,
  ) {}

  @Post('servers/import')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'importServers',
    summary: 'Import servers from an inventory',
    bodyMiB: IMPORT_LIMIT_MIB,
    description:
      'The text is validated immediately: 400 names line and entry of each error. A worker then plans and applies all changes or none; `wait` delays the response until the end. `GET /api/inventory/imports/{id}` returns the progress, and `/entries` the action for each server.',
    answer: ImportView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  async create(
    @Caller() caller: Principal,
    @Body() body: ImportServersRequest,
    @Query() query: ImportServersQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportView> {
    const id = await this.requests.requestImport(caller, body, query.preview === 'true');
    response.setHeader('Location', `${IMPORTS_PATH}/${id}`);
    return this.imports.get(caller, id, query.wait);
  }

  @Get('imports')
  @Requires('viewer', { reach: 'environment' })
  @Route({ id: 'listImports', summary: 'List imports, newest first', answer: ImportListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListImportsQuery): Promise<ImportListView> {
    return this.imports.list(caller, query);
  }

  @Get('imports/:id')
  @Requires('viewer', { reach: 'environment' })
  @Route({ id: 'getImport', summary: 'Get an import', answer: ImportView, problems: [400, 404] })
  get(@Caller() caller: Principal, @Param('id') id: string, @Query() query: GetImportQuery): Promise<ImportView> {
    return this.imports.get(caller, id, query.wait);
  }

  @Get('imports/:id/entries')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listImportEntries',
    summary: 'List what an import does with each server',
    answer: ImportEntryListView,
    problems: [400, 404],
  })
  entries(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListImportEntriesQuery,
  ): Promise<ImportEntryListView> {
    return this.imports.entries(caller, id, query);
  }

  @Post('imports/:id/apply')
  @Requires('operator', { reach: 'environment' })
  @Route({
    id: 'applyImport',
    summary: 'Apply the preview of an import',
    description:
      'Starts a new import of the same text. It does exactly what the preview showed, or fails if the inventory has changed since.',
    answer: ImportView,
    status: 201,
    problems: [400, 404, 409, 422],
  })
  async apply(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: GetImportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportView> {
    const applied = await this.requests.requestPreviewApplication(caller, id);
    response.setHeader('Location', `${IMPORTS_PATH}/${applied}`);
    return this.imports.get(caller, applied, query.wait);
  }
}
