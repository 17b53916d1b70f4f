import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { checkDatabaseLogin, checkRowLevelSecurity } from './database/boot/boot-checks.js';
import { createAppConnectionOptions } from './database/connection.js';
import { MasterKeyLockHolder } from './database/boot/master-key-hold.js';
import { requireCurrentCode } from './database/schema-generation.js';
import { PoolMetrics } from './database/pool-metrics.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { InstallationWatch } from './installation/installation-state.js';
import { DiskSpace } from './health/disk-space.js';
import { OutgoingAddresses } from './network/outgoing-addresses.js';
import { OutgoingHttp } from './network/outgoing-request.js';
import { Notifications } from './database/notifications.js';
import { JobQueue } from './queue/job-queue.js';
import { RUNTIME, type Runtime } from './settings/runtime.js';
import { ThreadPool } from './threads/thread-pool.js';

export interface CommonOptions {
  works: boolean;
  poolSize: number;
  entities: readonly (new () => object)[];
  /** Watch that is already started; absent = the module starts and stops one. */
  startedWatch?: InstallationWatch;
}

const OPTIONS = Symbol('common-options');

const createOutgoingHttp = ({ settings }: Runtime) =>
  new OutgoingHttp(new OutgoingAddresses(settings.refusedAddresses, settings.outgoingPrivate), settings.outgoingCaFile);

/** Lowest layer, for all modules: database, queue, notifications and runtime of the process. */
@Global()
@Module({})
export class CommonModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: JobQueue,
    @Inject(Notifications) private readonly notifications: Notifications,
    private readonly hold: MasterKeyLockHolder,
    private readonly watch: InstallationWatch,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(OPTIONS) private readonly options: CommonOptions,
  ) {}

  static for(runtime: Runtime, options: CommonOptions): DynamicModule {
    return {
      module: CommonModule,
      imports: [
        TypeOrmModule.forRoot({
          ...createAppConnectionOptions(runtime.databaseUrl, options.poolSize, {
            usesPreparedStatements: runtime.settings.preparedStatements,
          }),
          entities: [...options.entities],
          retryAttempts: 0,
        }),
      ],
      providers: [
        { provide: RUNTIME, useValue: runtime },
        { provide: OPTIONS, useValue: options },
        UnitOfWork,
        DiskSpace,
        PoolMetrics,
        ThreadPool,
        { provide: JobQueue, useFactory: () => new JobQueue(runtime.databaseUrl, options.works) },
        {
          provide: MasterKeyLockHolder,
          useFactory: () => new MasterKeyLockHolder(runtime.databaseUrl, runtime.masterKey),
        },
        {
          provide: InstallationWatch,
          useFactory: () => options.startedWatch ?? new InstallationWatch(runtime.databaseUrl),
        },
        { provide: OutgoingHttp, useFactory: () => createOutgoingHttp(runtime) },
        { provide: Notifications, useFactory: () => new Notifications(runtime.databaseUrl) },
      ],
      exports: [RUNTIME, UnitOfWork, DiskSpace, ThreadPool, JobQueue, InstallationWatch, OutgoingHttp, Notifications],
    };
  }

  /**
   * Refuses to start if a newer version has used the database, or if row-level security, the second line of defence, is
   * incomplete.
   */
  async onModuleInit(): Promise<void> {
    await requireCurrentCode(this.dataSource);
    const faults = await checkRowLevelSecurity(this.dataSource);
    if (this.runtime.databaseLogin === 'own') faults.push(...(await checkDatabaseLogin(this.dataSource)));
    if (faults.length > 0) throw new Error(`Row-level security is incomplete:\n${faults.join('\n')}`);
    await this.hold.start();
    if (!this.options.startedWatch) await this.watch.start();
    await this.queue.start();
    await this.notifications.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.stop();
    await this.queue.stop();
    if (!this.options.startedWatch) await this.watch.stop();
    await this.hold.releaseLock();
  }
}
