import { TenantsAndMembers20261120100000 } from './20261120100000-tenants-and-members.js';
import { AuditTrail20261120100100 } from './20261120100100-audit-trail.js';
import { InventoryAndPlans20261120100200 } from './20261120100200-inventory-and-plans.js';
import { Executions20261120100300 } from './20261120100300-executions.js';
import { IdempotencyKeys20261120100400 } from './20261120100400-idempotency-keys.js';
import { Installation20261120100500 } from './20261120100500-installation.js';
import { MembersAndSignIn20261120110000 } from './20261120110000-members-and-sign-in.js';
import { EnvironmentWalls20261120120000 } from './20261120120000-environment-walls.js';
import { AuditChain20261120130000 } from './20261120130000-audit-chain.js';
import { MasterKeyRotation20261120140000 } from './20261120140000-master-key-rotation.js';
import { RunEngine20261121100000 } from './20261121100000-run-engine.js';
import { Library20261121110000 } from './20261121110000-library.js';
import { EnvironmentJournal20261121200000 } from './20261121200000-environment-journal.js';
import { RetryTimes20261121210000 } from './20261121210000-retry-times.js';
import { HostChecks20261121210100 } from './20261121210100-host-checks.js';
import { FreeStrategy20261122100000 } from './20261122100000-free-strategy.js';
import { HostAddresses20261122110000 } from './20261122110000-host-addresses.js';
import { KnownPlaces20261123110000 } from './20261123110000-known-places.js';
import { HostMachines20261123120000 } from './20261123120000-host-machines.js';
import { ApprovalAuthors20261123150000 } from './20261123150000-approval-authors.js';
import { InheritedResults20261123150100 } from './20261123150100-inherited-results.js';
import { StepReasons20261123170000 } from './20261123170000-step-reasons.js';
import { StoredAnswers20261123180000 } from './20261123180000-stored-answers.js';
import { WorkerHeartbeats20261123190000 } from './20261123190000-worker-heartbeats.js';
import { ServerState20261124100000 } from './20261124100000-server-state.js';
import { ServerLabels20261124100100 } from './20261124100100-server-labels.js';
import { ServerOrigins20261124110000 } from './20261124110000-server-origins.js';
import { InventoryImports20261124120000 } from './20261124120000-inventory-imports.js';
import { PinnedKeysAndJumps20261125090000 } from './20261125090000-pinned-keys-and-jumps.js';
import { KeyRotations20261125100000 } from './20261125100000-key-rotations.js';
import { KeyCertificates20261125100100 } from './20261125100100-key-certificates.js';
import { ServerVariables20261125110000 } from './20261125110000-server-variables.js';
import { ServerChecks20261125120000 } from './20261125120000-server-checks.js';
import { Enrolments20261126090000 } from './20261126090000-enrolments.js';
import { CheckSchedule20261128090000 } from './20261128090000-check-schedule.js';
import { LabelStatements20261128090100 } from './20261128090100-label-statements.js';
import { RemovableMembers20261128100000 } from './20261128100000-removable-members.js';
import { Collections20261129090000 } from './20261129090000-collections.js';
import { ProvedHostKeys20261130090000 } from './20261130090000-proved-host-keys.js';
import { GitSources20261201090000 } from './20261201090000-git-sources.js';
import { ContentFromGit20261201100000 } from './20261201100000-content-from-git.js';
import { PlanTexts20261205090000 } from './20261205090000-plan-texts.js';
import { RevisionMessages20261206090000 } from './20261206090000-revision-messages.js';
import { PlanFolders20261207090000 } from './20261207090000-plan-folders.js';
import { RunListIndexes20261208090000 } from './20261208090000-run-list-indexes.js';
import { AuditListIndexes20261208090100 } from './20261208090100-audit-list-indexes.js';
import { MonthPartitions20261209000000 } from './20261209000000-month-partitions.js';
import { Retention20261209000100 } from './20261209000100-retention.js';
import { RunLabels20261212000000 } from './20261212000000-run-labels.js';
import { NarrowedTokens20261213000000 } from './20261213000000-narrowed-tokens.js';
import { OidcTrustRules20261213000100 } from './20261213000100-oidc-trust-rules.js';
import { RunWindows20261214000000 } from './20261214000000-run-windows.js';
import { Schedules20261214000100 } from './20261214000100-schedules.js';
import { GuardQueue20261215000000 } from './20261215000000-guard-queue.js';
import { Outbox20261216000000 } from './20261216000000-outbox.js';
import { Webhooks20261216000100 } from './20261216000100-webhooks.js';
import { Notifications20261217000000 } from './20261217000000-notifications.js';
import { ServiceNotices20261218000000 } from './20261218000000-service-notices.js';
import { TokenHolders20261218000100 } from './20261218000100-token-holders.js';
import { ScheduleWriters20261218000200 } from './20261218000200-schedule-writers.js';
import { ServerAddresses20261219000000 } from './20261219000000-server-addresses.js';
import { ImportsWithoutFaultyServers20261220112500 } from './20261220112500-imports-without-faulty-servers.js';
import { ScriptFirstLines20261220013900 } from './20261220013900-script-first-lines.js';
import { SchemaGeneration20261220103000 } from './20261220103000-schema-generation.js';
import { InstallationIdentity20261227015000 } from './20261227015000-installation-identity.js';
import { HostProofs20261220121700 } from './20261220121700-host-proofs.js';
import { ServersWithoutCommands20261227024900 } from './20261227024900-servers-without-commands.js';
import { LegacyAlgorithms20261228010000 } from './20261228010000-legacy-algorithms.js';
import { OtherServersOfRefusals20261228020000 } from './20261228020000-other-servers-of-refusals.js';
import { RunAuthors20261228050000 } from './20261228050000-run-authors.js';
import { SharedAddresses20261228040000 } from './20261228040000-shared-addresses.js';
import { GivenRights20261228060000 } from './20261228060000-given-rights.js';
import { ProtectionChanges20261228060100 } from './20261228060100-protection-changes.js';
import { LegalHolds20261228060200 } from './20261228060200-legal-holds.js';
import { EnvironmentsOfPlanScopes20261228070000 } from './20261228070000-environments-of-plan-scopes.js';
import { HeldRuns20261228100000 } from './20261228100000-held-runs.js';
import { EndsOfTokens20261229010000 } from './20261229010000-ends-of-tokens.js';
import { DepartedServers20261229020000 } from './20261229020000-departed-servers.js';
import { ConnectionAuthors20261229030000 } from './20261229030000-connection-authors.js';
import { LoginTimeouts20261229040000 } from './20261229040000-login-timeouts.js';

export const MIGRATIONS = [
  TenantsAndMembers20261120100000,
  AuditTrail20261120100100,
  InventoryAndPlans20261120100200,
  Executions20261120100300,
  IdempotencyKeys20261120100400,
  Installation20261120100500,
  MembersAndSignIn20261120110000,
  EnvironmentWalls20261120120000,
  AuditChain20261120130000,
  MasterKeyRotation20261120140000,
  RunEngine20261121100000,
  Library20261121110000,
  EnvironmentJournal20261121200000,
  RetryTimes20261121210000,
  HostChecks20261121210100,
  FreeStrategy20261122100000,
  HostAddresses20261122110000,
  KnownPlaces20261123110000,
  HostMachines20261123120000,
  ApprovalAuthors20261123150000,
  InheritedResults20261123150100,
  StepReasons20261123170000,
  StoredAnswers20261123180000,
  WorkerHeartbeats20261123190000,
  ServerState20261124100000,
  ServerLabels20261124100100,
  ServerOrigins20261124110000,
  InventoryImports20261124120000,
  PinnedKeysAndJumps20261125090000,
  KeyRotations20261125100000,
  KeyCertificates20261125100100,
  ServerVariables20261125110000,
  ServerChecks20261125120000,
  Enrolments20261126090000,
  CheckSchedule20261128090000,
  LabelStatements20261128090100,
  RemovableMembers20261128100000,
  Collections20261129090000,
  ProvedHostKeys20261130090000,
  GitSources20261201090000,
  ContentFromGit20261201100000,
  PlanTexts20261205090000,
  RevisionMessages20261206090000,
  PlanFolders20261207090000,
  RunListIndexes20261208090000,
  AuditListIndexes20261208090100,
  MonthPartitions20261209000000,
  Retention20261209000100,
  RunLabels20261212000000,
  NarrowedTokens20261213000000,
  OidcTrustRules20261213000100,
  RunWindows20261214000000,
  Schedules20261214000100,
  GuardQueue20261215000000,
  Outbox20261216000000,
  Webhooks20261216000100,
  Notifications20261217000000,
  ServiceNotices20261218000000,
  TokenHolders20261218000100,
  ScheduleWriters20261218000200,
  ServerAddresses20261219000000,
  ScriptFirstLines20261220013900,
  SchemaGeneration20261220103000,
  ImportsWithoutFaultyServers20261220112500,
  HostProofs20261220121700,
  InstallationIdentity20261227015000,
  ServersWithoutCommands20261227024900,
  LegacyAlgorithms20261228010000,
  OtherServersOfRefusals20261228020000,
  SharedAddresses20261228040000,
  RunAuthors20261228050000,
  GivenRights20261228060000,
  ProtectionChanges20261228060100,
  LegalHolds20261228060200,
  EnvironmentsOfPlanScopes20261228070000,
  HeldRuns20261228100000,
  EndsOfTokens20261229010000,
  DepartedServers20261229020000,
  ConnectionAuthors20261229030000,
  LoginTimeouts20261229040000,
];
