import { type DynamicModule, Module } from '@nestjs/common';
import { CommonModule } from './common/common.module.js';
import type { Runtime } from './common/runtime.js';
import { EngineModule } from './executions/api/engine.module.js';
import { PortsModule } from './ports.module.js';

/** Connections of a worker's own pool: flushes and decisions of its runs. */
const POOL_SIZE = 12;

/** A worker process: takes runs from the queue and drives them. */
@Module({ imports: [PortsModule, EngineModule] })
export class WorkerModule {
  static for(runtime: Runtime): DynamicModule {
    const poolSize = runtime.poolSize ?? POOL_SIZE;
    return { module: WorkerModule, imports: [CommonModule.for(runtime, { works: true, poolSize })] };
  }
}
