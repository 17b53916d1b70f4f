import { Module } from '@nestjs/common';
import { OutboxDispatcher } from './outbox-dispatcher.js';

/** Outbox in the worker: passes events to the consumers. */
@Module({ providers: [OutboxDispatcher], exports: [OutboxDispatcher] })
export class OutboxWorkerModule {}
