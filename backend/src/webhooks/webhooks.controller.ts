import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, TakesIfMatch } from '../common/http/if-match.js';
import { Route } from '../common/http/route.js';
import {
  CreateWebhookRequest,
  ListWebhooksQuery,
  RotateWebhookSecretRequest,
  UpdateWebhookRequest,
} from './webhooks.dto.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhookListView, WebhookView, WebhookWithSecretView } from './webhooks.view.js';

@ApiTags('Webhooks')
@Controller('api/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Requires('viewer')
  @Route({
    id: 'listWebhooks',
    summary: 'List webhooks',
    description: 'The own ones; to admins those of all members.',
    answer: WebhookListView,
    problems: [400],
  })
  list(@Caller() caller: Principal, @Query() query: ListWebhooksQuery): Promise<WebhookListView> {
    return this.webhooks.list(caller, query);
  }

  @Get(':id')
  @Requires('viewer')
  @Route({ id: 'getWebhook', summary: 'Get a webhook', answer: WebhookView, problems: [404] })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<WebhookView> {
    return this.webhooks.get(caller, id);
  }

  @Post()
  @Requires('operator')
  @Route({
    id: 'createWebhook',
    summary: 'Have an address told of events',
    description:
      'Messages are signed as Standard Webhooks says, with the `secret` of this answer, which is never shown again. The caller owns the webhook: it is told of what its owner may see when the message is sent, and of nothing else.',
    answer: WebhookWithSecretView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateWebhookRequest): Promise<WebhookWithSecretView> {
    return this.webhooks.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @TakesIfMatch()
  @Route({
    id: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'Another `url` gets another secret, which the answer shows once; what waits for the old address becomes dead (`address_changed`). So does what waits for a webhook that is disabled (`webhook_disabled`). Dead deliveries can be replayed.',
    answer: WebhookWithSecretView,
    problems: [400, 404, 409, 412, 413, 415],
  })
  update(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: UpdateWebhookRequest,
    @IfMatch() version: number | null,
  ): Promise<WebhookWithSecretView> {
    return this.webhooks.update(caller, id, body, version);
  }

  @Delete(':id')
  @Requires('operator')
  @TakesIfMatch()
  @Route({ id: 'deleteWebhook', summary: 'Delete a webhook and its deliveries', answer: null, problems: [404, 412] })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.webhooks.delete(caller, id, version);
  }

  @Post(':id/rotate-secret')
  @Requires('operator')
  @Route({
    id: 'rotateWebhookSecret',
    summary: 'Sign with a new secret',
    description:
      'The answer shows the new `secret` once. For 24 hours the one before signs too, so that receivers can be changed in between; a message has both signatures then. Within these hours another new one is 409 `old_secret_signs`, with `oldSecretUntil`, unless `endOldSecret` is true.',
    answer: WebhookWithSecretView,
    problems: [400, 404, 409, 413, 415],
    status: 200,
    idempotent: true,
  })
  rotate(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: RotateWebhookSecretRequest,
  ): Promise<WebhookWithSecretView> {
    return this.webhooks.rotateSecret(caller, id, body);
  }

  @Post(':id/take-over')
  @Requires('admin')
  @Route({
    id: 'takeOverWebhook',
    summary: 'Become the owner of a webhook',
    description: 'For one whose owner is gone. From then on it is told of what the caller may see.',
    answer: WebhookView,
    problems: [404],
    status: 200,
  })
  takeOver(@Caller() caller: Principal, @Param('id') id: string): Promise<WebhookView> {
    return this.webhooks.takeOver(caller, id);
  }
}
