import { Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { OutboxInterests } from './outbox-interests.js';

@Module({ providers: [Outbox, OutboxInterests], exports: [Outbox, OutboxInterests] })
export class OutboxModule {}
