import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuditModule } from '../../backend/src/audit/audit.module.js';
import { prepareRuntime } from '../../backend/src/boot/prepare-runtime.js';
import { CommonModule } from '../../backend/src/common/common.module.js';
import type { Settings } from '../../backend/src/common/settings/settings.js';
import { ENTITIES } from '../../backend/src/entities.js';
import { KeysModule } from '../../backend/src/keys/keys.module.js';
import { PortsModule } from '../../backend/src/ports.module.js';
import { TenancyModule } from '../../backend/src/tenancy/tenancy.module.js';

/** Runs `work` with the services that store a tenant's past, also while Runward runs. */
export async function withServices(
  settings: Settings,
  log: (line: string) => void,
  work: (context: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const prepared = await prepareRuntime(settings, { log, share: true });
  try {
    const module = {
      module: class Seed {},
      imports: [
        CommonModule.for(prepared.runtime, { works: false, poolSize: 2, entities: ENTITIES }),
        PortsModule,
        AuditModule,
        KeysModule,
        TenancyModule,
      ],
    };
    const context = await NestFactory.createApplicationContext(module, {
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    try {
      await work(context);
    } finally {
      await context.close();
    }
  } finally {
    await prepared.releaseRuntime();
  }
}
