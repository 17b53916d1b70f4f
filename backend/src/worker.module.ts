import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CommonModule } from './common/common.module.js';
import { ENTITIES } from './entities.js';
import type { InstallationWatch } from './common/installation/installation-state.js';
import { Worker } from './common/queue/worker.js';
import type { Runtime } from './common/settings/runtime.js';
import { EngineModule } from './executions/api/engine.module.js';
import { NotificationWorkerModule } from './notifications/notification-worker.module.js';
import { OutboxWorkerModule } from './outbox/outbox-worker.module.js';
import { PortsModule } from './ports.module.js';
import { FiringModule } from './schedules/firing/firing.module.js';
import { WebhooksWorkerModule } from './webhooks/webhooks-worker.module.js';

/** Number of connections in the worker's own pool, for flushes and decisions of its runs. */
const POOL_SIZE = 12;

/** Worker process: drives runs from the queue, starts scheduled runs, and sends events to subscribers. */
@Module({
  imports: [
    DiscoveryModule,
    PortsModule,
    EngineModule,
    FiringModule,
    OutboxWorkerModule,
    WebhooksWorkerModule,
    NotificationWorkerModule,
  ],
  providers: [Worker],
})
export class WorkerModule {
  /** @param startedWatch absent = the module starts a watch */
  static for(runtime: Runtime, startedWatch?: InstallationWatch): DynamicModule {
    const poolSize = runtime.poolSize ?? POOL_SIZE;
    return {
      module: WorkerModule,
      imports: [CommonModule.for(runtime, { works: true, poolSize, entities: ENTITIES, startedWatch })],
    };
  }
}
