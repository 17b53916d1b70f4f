import { Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OutboxInterests } from './outbox-interests.js';

@Module({ providers: [Outbox, OutboxInterests, OutboxMetrics], exports: [Outbox, OutboxInterests] })
export class OutboxModule {}
