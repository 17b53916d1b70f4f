import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { RunMaterials } from './engine/run-material.js';
import { RunWorker } from './engine/run-worker.js';
import { RunStore } from './run-store.js';

/** The worker's half of the room: drives runs. */
@Module({ imports: [AuditModule, KeysModule], providers: [RunStore, RunMaterials, RunWorker], exports: [RunWorker] })
export class EngineModule {}
