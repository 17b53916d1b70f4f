import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../../common/access/policy.js';
import { Caller, type Principal } from '../../common/access/principal.js';
import { Route } from '../../common/http/route.js';
import { ListDeliveriesQuery } from './deliveries.dto.js';
import { DeliveriesReader } from './deliveries.reader.js';
import { DeliveryDetailView, DeliveryListView, ReplayedDeliveriesView } from './deliveries.view.js';
import { ReplayDeliveries } from './replay-deliveries.js';
import { TestWebhook } from './test-webhook.js';

@ApiTags('Webhooks')
@Controller('api/webhooks/:id')
export class DeliveriesController {
  constructor(
    private readonly reader: DeliveriesReader,
    private readonly replays: ReplayDeliveries,
    private readonly tests: TestWebhook,
  ) {}

  @Post('test')
  @Requires('operator')
  @Route({
    id: 'testWebhook',
    summary: 'Send a test message to a webhook',
    description:
      'Sends a signed `webhook.test` at once, also to a disabled webhook, and returns the response. It is not retried. Answers within 15 s.',
    answer: DeliveryDetailView,
    status: 200,
    problems: [404],
  })
  test(@Caller() caller: Principal, @Param('id') id: string): Promise<DeliveryDetailView> {
    return this.tests.test(caller, id);
  }

  @Get('deliveries')
  @Requires('viewer')
  @Route({
    id: 'listWebhookDeliveries',
    summary: 'List deliveries of a webhook, newest first',
    description: '`status=dead` lists dead deliveries. Delivered ones are kept for 7 days, dead ones for 30.',
    answer: DeliveryListView,
    problems: [400, 404],
  })
  list(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<DeliveryListView> {
    return this.reader.list(caller, id, query);
  }

  @Post('replay-dead')
  @Requires('operator')
  @Route({
    id: 'replayDeadDeliveries',
    summary: 'Replay dead deliveries',
    description: 'The oldest 1,000, in the order of their runs. `more` is true if others remain.',
    answer: ReplayedDeliveriesView,
    status: 202,
    problems: [404, 409],
  })
  replayDead(@Caller() caller: Principal, @Param('id') id: string): Promise<ReplayedDeliveriesView> {
    return this.replays.dead(caller, id);
  }

  @Get('deliveries/:deliveryId')
  @Requires('viewer')
  @Route({
    id: 'getWebhookDelivery',
    summary: 'Get a delivery with its body and attempts',
    answer: DeliveryDetailView,
    problems: [404],
  })
  get(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<DeliveryDetailView> {
    return this.reader.get(caller, id, deliveryId);
  }

  @Post('deliveries/:deliveryId/replay')
  @Requires('operator')
  @Route({
    id: 'replayDelivery',
    summary: 'Replay a delivery',
    description:
      'For a delivered or dead delivery: sends the same body with the same `webhook-id` and a new signature to the current address of the webhook. It is retried for 24 hours.',
    answer: DeliveryDetailView,
    status: 202,
    problems: [404, 409],
  })
  replay(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<DeliveryDetailView> {
    return this.replays.one(caller, id, deliveryId);
  }
}
