import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../../common/http/etag.js';
import { Route } from '../../common/http/route.js';
import { AcceptHostKeyRequest, SetHostKeysRequest, ShareHostKeyRequest } from '../servers.dto.js';
import { ServerView } from '../servers.view.js';
import { HostKeyTrust } from './host-key-trust.js';
import { PinListView } from './host-keys.view.js';
import { ProtectionView, SetProtectionRequest } from './protection.view.js';
import { ServerProtection } from './server-protection.js';

@ApiTags('Inventory')
@Controller('api/inventory/servers')
export class HostKeysController {
  constructor(
    private readonly hostKeyTrust: HostKeyTrust,
    private readonly protection: ServerProtection,
  ) {}

  @Get(':id/host-keys')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'listHostKeys',
    summary: 'List the current and previous pinned host keys of a server',
    answer: PinListView,
    problems: [404],
  })
  list(@Caller() caller: Principal, @Param('id') id: string): Promise<PinListView> {
    return this.hostKeyTrust.listPins(caller, id);
  }

  @Put(':id/host-keys')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({
    id: 'setHostKeys',
    summary: 'Set the pinned host keys of a server',
    description:
      'Replaces all pinned keys: the keys of the host (one of each type) and authorities of host certificates. Keys that the request omits are no longer pinned. If nothing differs, nothing is written or audited.',
    answer: ServerView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  set(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: SetHostKeysRequest,
    @IfMatch() version: number | null,
  ): Promise<ServerView> {
    return this.hostKeyTrust.setHostKeys(caller, id, body, version);
  }

  @Put(':id/host-key')
  @Requires('operator', { reach: 'environment' })
  @AcceptsIfMatch()
  @Route({
    id: 'acceptHostKey',
    summary: 'Accept the host key that the last check saw',
    answer: ServerView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  acceptHostKey(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: AcceptHostKeyRequest,
    @IfMatch() version: number | null,
  ): Promise<ServerView> {
    return this.hostKeyTrust.acceptSeenHostKey(caller, id, body, version);
  }

  @Get(':id/protection')
  @Requires('viewer', { reach: 'environment' })
  @Route({
    id: 'getServerProtection',
    summary: 'Get the protection of a server and what blocks its runs',
    answer: ProtectionView,
    problems: [404],
  })
  getProtection(@Caller() caller: Principal, @Param('id') id: string): Promise<ProtectionView> {
    return this.protection.readProtection(caller, id);
  }

  @Put(':id/protection')
  @Requires('operator', { reach: 'environment', people: true })
  @Route({
    id: 'setServerProtection',
    summary: 'Confirm the host of a server, or delete its proofs',
    description:
      'A server of a protected environment protects an address or host key after a login proved it, or after an approver of the environment confirmed it. Needs the grant `approve`.',
    answer: ProtectionView,
    problems: [400, 404, 409, 413, 415],
  })
  setProtection(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: SetProtectionRequest,
  ): Promise<ProtectionView> {
    return this.protection.changeProtection(caller, id, body);
  }

  @Put(':id/host-key/shared')
  @Requires('admin', { people: true })
  @Route({
    id: 'shareHostKey',
    summary: 'Set whether several machines share the pinned host key',
    description:
      'A host that shows the key of a server in another, protected environment counts as that machine and is refused. If machines were copied with their host keys, mark the key as shared. For all servers of the tenant with that key, it then no longer identifies a machine. Their addresses are still compared.',
    answer: ServerView,
    problems: [400, 404, 409, 413, 415],
  })
  shareHostKey(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: ShareHostKeyRequest,
  ): Promise<ServerView> {
    return this.hostKeyTrust.setKeyShared(caller, id, body);
  }
}
