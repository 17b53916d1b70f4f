import { Module } from '@nestjs/common';
import { OutboxDispatcher } from './outbox-dispatcher.js';

@Module({ providers: [OutboxDispatcher], exports: [OutboxDispatcher] })
export class OutboxWorkerModule {}
