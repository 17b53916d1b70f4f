import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesReader } from './deliveries/deliveries.reader.js';
import { ReplayDeliveries } from './deliveries/replay-deliveries.js';
import { TestWebhook } from './deliveries/test-webhook.js';
import { WebhookInterests } from './records/webhook-interests.js';
import { WebhookVault } from './records/webhook-vault.js';
import { WebhookHttp } from './sending/webhook-http.js';
import { WebhookViews } from './webhook-views.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhookMetrics } from './webhook-metrics.js';

@Module({
  imports: [AuditModule, EnvironmentsModule, OutboxModule],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhookVault,
    WebhookInterests,
    WebhookHttp,
    WebhookViews,
    WebhooksService,
    DeliveriesReader,
    ReplayDeliveries,
    TestWebhook,
    WebhookMetrics,
  ],
})
export class WebhooksModule {}
