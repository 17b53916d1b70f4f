import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { WebhookInterests } from './records/webhook-interests.js';
import { WebhookSwitch } from './records/webhook-switch.js';
import { WebhookVault } from './records/webhook-vault.js';
import { DeliveryWorker } from './sending/delivery-worker.js';
import { OldDeliveries } from './sending/old-deliveries.js';
import { WebhookHttp } from './sending/webhook-http.js';
import { WebhookSender } from './sending/webhook-sender.js';

@Module({
  imports: [AuditModule, OutboxModule],
  providers: [WebhookVault, WebhookInterests, WebhookSwitch, WebhookHttp, WebhookSender, OldDeliveries, DeliveryWorker],
})
export class WebhooksWorkerModule {}
