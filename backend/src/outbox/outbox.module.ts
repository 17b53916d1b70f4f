import { Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { OutboxInterests } from './outbox-interests.js';

/** For modules that write or deliver events. */
@Module({ providers: [Outbox, OutboxInterests], exports: [Outbox, OutboxInterests] })
export class OutboxModule {}
