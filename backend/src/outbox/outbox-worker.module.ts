import { Module } from '@nestjs/common';
import { OutboxDispatcher } from './outbox-dispatcher.js';

/** The worker's half of the room: hands events over to those who deliver them. */
@Module({ providers: [OutboxDispatcher], exports: [OutboxDispatcher] })
export class OutboxWorkerModule {}
