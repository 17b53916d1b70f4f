import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { BackupMetrics } from './backup/backup-metrics.js';
import { AuthModule } from './auth/auth.module.js';
import { BookmarksModule } from './bookmarks/bookmarks.module.js';
import { ClientPackageController } from './boot/client-package.controller.js';
import { CommandLineController } from './boot/command-line.controller.js';
import { CollectionsModule } from './collections/collections.module.js';
import { CommonModule } from './common/common.module.js';
import { ENTITIES } from './entities.js';
import { ProblemCatalogueController } from './common/problem-catalogue/problem-catalogue.controller.js';
import { HealthController } from './common/health/health.controller.js';
import { InstallationController } from './common/installation/installation.controller.js';
import { DatabaseMetrics, InstallationMetrics } from './common/health/installation-metrics.js';
import { InstallationHealth } from './common/health/installation-health.js';
import { IdempotencyInterceptor } from './common/idempotency/idempotency.interceptor.js';
import { ProblemFilter } from './common/http/problem.filter.js';
import { DeprecationHeadersInterceptor } from './common/http/deprecation/deprecation-headers.js';
import { RecordHeadersInterceptor } from './common/http/etag.js';
import { StrictBodyInterceptor } from './common/http/body/request-body.js';
import { ValidationPipe } from './common/http/validation.pipe.js';
import type { Runtime } from './common/settings/runtime.js';
import { EnvironmentsModule } from './environments/environments.module.js';
import { ExecutionsModule } from './executions/api/executions.module.js';
import { GitSourcesModule } from './git-sources/git-sources.module.js';
import { InventoryModule } from './inventory/inventory.module.js';
import { KeysModule } from './keys/keys.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { OverviewModule } from './overview/overview.module.js';
import { PlansModule } from './plans/plans.module.js';
import { PortsModule } from './ports.module.js';
import { RoutePolicies } from './route-policies.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { ScriptsModule } from './scripts/scripts.module.js';
import { TemplatesModule } from './templates/templates.module.js';
import { TenancyModule } from './tenancy/tenancy.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

const POOL_SIZE = 16;

/** Root module of the API process: all modules, and the global guards from `AuthModule`. */
@Module({
  imports: [
    DiscoveryModule,
    PortsModule,
    AuthModule,
    TenancyModule,
    BookmarksModule,
    EnvironmentsModule,
    KeysModule,
    CollectionsModule,
    GitSourcesModule,
    InventoryModule,
    ScriptsModule,
    TemplatesModule,
    PlansModule,
    ExecutionsModule,
    SchedulesModule,
    WebhooksModule,
    NotificationsModule,
    OverviewModule,
  ],
  controllers: [
    ClientPackageController,
    CommandLineController,
    HealthController,
    InstallationController,
    ProblemCatalogueController,
  ],
  providers: [
    BackupMetrics,
    InstallationHealth,
    InstallationMetrics,
    DatabaseMetrics,
    RoutePolicies,
    { provide: APP_FILTER, useClass: ProblemFilter },
    // Must come before the idempotency interceptor, because an idempotency key covers the parsed body.
    { provide: APP_INTERCEPTOR, useClass: StrictBodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: DeprecationHeadersInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RecordHeadersInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
})
export class ApiModule implements OnModuleInit {
  constructor(private readonly policies: RoutePolicies) {}

  static for(runtime: Runtime): DynamicModule {
    const poolSize = runtime.poolSize ?? POOL_SIZE;
    return { module: ApiModule, imports: [CommonModule.for(runtime, { works: false, poolSize, entities: ENTITIES })] };
  }

  onModuleInit(): void {
    this.policies.requireAll();
  }
}
