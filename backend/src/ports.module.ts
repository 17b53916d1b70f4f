import { Global, Module, type ValueProvider } from '@nestjs/common';
import { TENANT_LIST, type ListTenants } from './audit/tenant-list.js';
import { memberSignIns } from './auth/member-sign-ins.js';
import { SCOPE_RECORDS, type ScopeRecordFinders } from './auth/tokens/scope-records.js';
import { COLLECTION_USE, type CollectionUsage } from './collections/collection-use.js';
import { ENVIRONMENT_VISIBILITY, type CanSeeEnvironment } from './common/idempotency/environment-visibility.js';
import { LIBRARY_USE, type FindLibraryUsers } from './library/library-use.js';
import { filterVisibleEnvironments, canSeeEnvironment } from './environments/caller-environments.js';
import { ENVIRONMENT_USE, type EnvironmentUsage } from './environments/environment-use.js';
import {
  hasOpenRunInEnvironment,
  hasOpenRunOfPlan,
  listServersInOpenRuns,
  findOpenRunsOnServers,
  findKeysUsedByOpenRuns,
} from './executions/queries/open-runs.js';
import { wakeHeldRuns, countUnbegunRuns } from './executions/queries/unbegun-runs.js';
import { gitKeyUsers } from './git-sources/git-key-users.js';
import { PLAN_FOLDERS, type PlanFolders } from './git-sources/records/plan-folders.js';
import { GIT_SOURCE_REACH, type GitSourceReach } from './git-sources/git-source-reach.js';
import { GIT_SOURCE_USE, type GitSourceUse } from './git-sources/git-source-use.js';
import { findServersOfEnvironment } from './inventory/ports/environment-servers.js';
import { hasDeparted } from './inventory/machines/departures.js';
import { confirmHosts, hostsProvedElsewhere } from './inventory/machines/environment-hosts.js';
import { keyUsers } from './inventory/ports/key-users.js';
import { knownHosts } from './inventory/ports/known-hosts.js';
import { SERVER_USE, type ServerUse } from './inventory/ports/server-use.js';
import { GIT_KEY_USE, type GitKeyUse, KEY_USE, type KeyUse } from './keys/key-use.js';
import { notificationConsumer } from './notifications/delivery/notification-consumer.js';
import { OUTBOX_CONSUMERS, type OutboxConsumer } from './outbox/outbox-consumers.js';
import { gitSourcesInto, planFolders } from './plans/folders/folder-records.js';
import { PLAN_USE, type PlanUsage } from './plans/records/plan-use.js';
import { filterVisiblePlans } from './plans/records/visible-plan.js';
import {
  countPlansOfCollections,
  listPlansFromGit,
  listPlansOfEnvironment,
  listPlansUsing,
} from './plans/records/plans-in-use.js';
import { gitSourceReach } from './schedules/records/git-source-reach.js';
import { listSchedulesOfEnvironment, schedulesOfPlan } from './schedules/records/schedules-in-use.js';
import { scriptsFromGit } from './scripts/scripts-from-git.js';
import { KNOWN_HOSTS, type KnownHosts } from './templates/known-hosts.js';
import { templatesFromGit } from './templates/templates-from-git.js';
import { listTenantNames } from './tenancy/directory/tenants.js';
import { SIGN_INS, type SignIns } from './tenancy/sign-ins/sign-ins.js';
import { UNBEGUN_RUNS, type UnbegunRuns } from './tenancy/unbegun-runs.js';
import { webhookDeliveries } from './webhooks/sending/take-events.js';

const bound = <T>(token: symbol, useValue: T): ValueProvider<T> => ({ provide: token, useValue });

const ports = [
  bound<ListTenants>(TENANT_LIST, listTenantNames),
  bound<SignIns>(SIGN_INS, memberSignIns),
  bound<UnbegunRuns>(UNBEGUN_RUNS, countUnbegunRuns),
  bound<ScopeRecordFinders>(SCOPE_RECORDS, { environments: filterVisibleEnvironments, plans: filterVisiblePlans }),
  bound<CanSeeEnvironment>(ENVIRONMENT_VISIBILITY, canSeeEnvironment),
  bound<FindLibraryUsers>(LIBRARY_USE, listPlansUsing),
  bound<KnownHosts>(KNOWN_HOSTS, knownHosts),
  bound<KeyUse>(KEY_USE, keyUsers),
  bound<GitKeyUse>(GIT_KEY_USE, gitKeyUsers),
  bound<EnvironmentUsage>(ENVIRONMENT_USE, {
    referrers: [findServersOfEnvironment, listPlansOfEnvironment, listSchedulesOfEnvironment],
    hasOpenRun: hasOpenRunInEnvironment,
    hostsProvedElsewhere,
    hasDepartedServers: hasDeparted,
    confirmHosts,
    wakeHeldRuns,
  }),
  bound<ServerUse>(SERVER_USE, {
    findServersInOpenRuns: listServersInOpenRuns,
    findOpenRunsOn: findOpenRunsOnServers,
    findServersSignedInWith: findKeysUsedByOpenRuns,
  }),
  bound<CollectionUsage>(COLLECTION_USE, {
    planCounts: countPlansOfCollections,
    gitSourcesInto,
    wakeWaitingRuns: wakeHeldRuns,
  }),
  bound<readonly GitSourceUse[]>(GIT_SOURCE_USE, [scriptsFromGit, templatesFromGit, listPlansFromGit]),
  bound<GitSourceReach>(GIT_SOURCE_REACH, gitSourceReach),
  bound<PlanFolders>(PLAN_FOLDERS, planFolders),
  bound<PlanUsage>(PLAN_USE, { hasOpenRun: hasOpenRunOfPlan, listSchedulesOfPlan: schedulesOfPlan }),
  bound<readonly OutboxConsumer[]>(OUTBOX_CONSUMERS, [webhookDeliveries, notificationConsumer]),
];

/**
 * Binds each port to its implementation. Every process imports this module, so that a process with a missing binding
 * does not start.
 */
@Global()
@Module({ providers: ports, exports: ports })
export class PortsModule {}
