import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
import { Route } from '../common/http/route.js';
import { CreateSshKeyRequest, ListSshKeysQuery, PutCertificateRequest, UpdateSshKeyRequest } from './keys.dto.js';
import { KeyCertificates } from './key-certificates.js';
import { KeysService } from './keys.service.js';
import { CreatedSshKeyView, SshKeyListView, SshKeyView } from './keys.view.js';

@ApiTags('SSH keys')
@Controller('api/ssh-keys')
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly certificates: KeyCertificates,
  ) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listSshKeys', summary: 'List SSH keys', answer: SshKeyListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListSshKeysQuery): Promise<SshKeyListView> {
    return this.keys.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({ id: 'getSshKey', summary: 'Get an SSH key', answer: SshKeyView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<SshKeyView> {
    return this.keys.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createSshKey',
    summary: 'Generate or import an SSH key',
    description: 'A generated private key is shown only in this answer.',
    answer: CreatedSshKeyView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateSshKeyRequest): Promise<CreatedSshKeyView> {
    return this.keys.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateSshKey',
    summary: 'Rename an SSH key',
    answer: SshKeyView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  rename(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateSshKeyRequest,
    @IfMatch() version: number | null,
  ): Promise<SshKeyView> {
    return this.keys.rename(caller, id, body, version);
  }

  @Put(':id/certificate')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'putSshKeyCertificate',
    summary: 'Set the login certificate of an SSH key',
    description:
      'Runward offers the certificate to hosts first. If a host refuses it, or it is not valid at that time, Runward uses the plain key, and checks report this.',
    answer: SshKeyView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  putCertificate(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: PutCertificateRequest,
    @IfMatch() version: number | null,
  ): Promise<SshKeyView> {
    return this.certificates.setCertificate(caller, id, body.certificate, version);
  }

  @Delete(':id/certificate')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'deleteSshKeyCertificate',
    summary: 'Remove the certificate of an SSH key',
    answer: null,
    problems: [404, 409, 412],
  })
  deleteCertificate(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @IfMatch() version: number | null,
  ): Promise<void> {
    return this.certificates.removeCertificate(caller, id, version);
  }

  @Delete(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'deleteSshKey',
    summary: 'Delete an SSH key that no server uses',
    answer: null,
    problems: [404, 409, 412],
  })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.keys.delete(caller, id, version);
  }
}
