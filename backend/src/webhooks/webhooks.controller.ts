import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { IfMatch, AcceptsIfMatch } from '../common/http/etag.js';
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
    description: 'Your webhooks; for admins, those of all members.',
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
    summary: 'Create a webhook',
    description:
      'Messages are signed according to Standard Webhooks with the `secret` in this answer, which is shown only once. You own the webhook: it sends only events that its owner can see at the time of sending.',
    answer: WebhookWithSecretView,
    status: 201,
    problems: [400, 404, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateWebhookRequest): Promise<WebhookWithSecretView> {
    return this.webhooks.create(caller, body);
  }

  @Patch(':id')
  @Requires('operator')
  @AcceptsIfMatch()
  @Route({
    id: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'A new `url` creates a new secret, which the answer shows once. Deliveries that wait for the old address become dead (`address_changed`), as do those of a webhook that is disabled (`webhook_disabled`). Dead deliveries can be replayed.',
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
  @AcceptsIfMatch()
  @Route({ id: 'deleteWebhook', summary: 'Delete a webhook and its deliveries', answer: null, problems: [404, 412] })
  delete(@Caller() caller: Principal, @Param('id') id: string, @IfMatch() version: number | null): Promise<void> {
    return this.webhooks.delete(caller, id, version);
  }

  @Post(':id/rotate-secret')
  @Requires('operator')
  @Route({
    id: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'The answer shows the new `secret` once. For 24 hours the previous secret signs too, so each message has two signatures. Update the receivers before then. Another rotation in this time is 409 `old_secret_signs` with `oldSecretUntil`, unless `endOldSecret` is true.',
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
    summary: 'Take over a webhook',
    description: 'For example when its owner was removed. It then sends the events that you can see.',
    answer: WebhookView,
    problems: [404],
    status: 200,
  })
  takeOver(@Caller() caller: Principal, @Param('id') id: string): Promise<WebhookView> {
    return this.webhooks.takeOver(caller, id);
  }
}
