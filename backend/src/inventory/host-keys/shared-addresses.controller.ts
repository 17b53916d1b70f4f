import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { SharedAddresses } from './shared-addresses.js';
import { MarkSharedAddressRequest, SharedAddressListView, SharedAddressView } from './shared-addresses.view.js';

@ApiTags('Inventory')
@Controller('api/inventory/shared-addresses')
export class SharedAddressesController {
  constructor(private readonly addresses: SharedAddresses) {}

  @Get()
  @Requires('admin')
  @Route({ id: 'listSharedAddresses', summary: 'List shared addresses', answer: SharedAddressListView, problems: [] })
  list(@Caller() caller: Principal): Promise<SharedAddressListView> {
    return this.addresses.list(caller);
  }

  @Put(':address')
  @Requires('admin', { people: true })
  @Route({
    id: 'markSharedAddress',
    summary: 'Mark an address as shared by several machines',
    description:
      'All ports of an address count as one machine: a server of a protected environment protects all of them. Mark the address of a gateway that forwards ports to several machines. Each port then counts as a separate machine. Safe to repeat; the first mark is kept.',
    answer: SharedAddressView,
    problems: [400, 404, 409, 413, 415],
  })
  mark(
    @Caller() caller: Principal,
    @Param('address') address: string,
    @Body() body: MarkSharedAddressRequest,
  ): Promise<SharedAddressView> {
    return this.addresses.mark(caller, address, body.reason);
  }

  @Delete(':address')
  @Requires('admin', { people: true })
  @Route({
    id: 'unmarkSharedAddress',
    summary: 'Remove the mark of a shared address',
    description: 'All ports of the address count as one machine again.',
    answer: null,
    problems: [404],
  })
  unmark(@Caller() caller: Principal, @Param('address') address: string): Promise<void> {
    return this.addresses.unmark(caller, address);
  }
}
