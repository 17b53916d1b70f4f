import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { DepartedServersController } from './host-keys/departed-servers.controller.js';
import { DepartedServers } from './host-keys/departed-servers.js';
import { Departures } from './machines/departures.js';
import { AddressReport } from './machines/address-report.js';
import { HostKeyTrust } from './host-keys/host-key-trust.js';
import { ServerProtection } from './host-keys/server-protection.js';
import { HostKeysController } from './host-keys/host-keys.controller.js';
import { JumpPaths } from './jump-paths.js';
import { ServerMachines } from './machines/server-machines.js';
import { ServerObservations } from './checks/server-observations.js';
import { RunHosts } from './machines/run-hosts.js';
import { SameHostKeys, SharedHostKeys } from './machines/same-host-keys.js';
import { HostClaims } from './machines/host-claims.js';
import { ProtectedHosts } from './machines/protected-hosts.js';
import { HostApproval } from './host-approval.js';
import { SharedAddressesController } from './host-keys/shared-addresses.controller.js';
import { SharedAddresses } from './host-keys/shared-addresses.js';
import { RunTargetsReader } from './run-targets.reader.js';
import { ServerChanges } from './server-changes.js';
import { ExternalServersController } from './external/external-servers.controller.js';
import { ImportApplication } from './import/applying/apply-import.js';
import { ImportWorker } from './import/import-worker.js';
import { ImportsController } from './import/imports.controller.js';
import { ImportsReader } from './import/orders/imports.reader.js';
import { InventoryReader } from './import/reading/inventory-reader.js';
import { ImportRequests } from './import/request-import.js';
import { BulkSelection } from './bulk/bulk-selection.js';
import { BulkServers } from './bulk/bulk-servers.js';
import { BulkServersController } from './bulk/bulk-servers.controller.js';
import { ServerExportController } from './export/server-export.controller.js';
import { ServerExport } from './export/server-export.js';
import { ExternalVariables } from './external/external-variables.js';
import { ServerUpsert } from './external/server-upsert.js';
import { DoctorController } from './doctor/doctor.controller.js';
import { ServerDoctor } from './doctor/server-doctor.js';
import { CheckWorker } from './checks/check-worker.js';
import { ChecksController } from './checks/checks.controller.js';
import { ServerFactsReader } from './checks/server-facts.reader.js';
import { CheckRequests } from './checks/request-checks.js';
import { ServerChecker } from './checks/server-check.js';
import { ServerHops } from './checks/server-hops.js';
import { ServerAdmission } from './checks/server-admission.js';
import { ServerContacts } from './checks/server-contact.js';
import { RotationRequests } from './rotation/request-rotation.js';
import { HostRotation } from './rotation/rotate-host.js';
import { RotationRights } from './rotation/rotation-rights.js';
import { RotationWorker } from './rotation/rotation-worker.js';
import { RotationsController } from './rotation/rotations.controller.js';
import { RotationsReader } from './rotation/rotations.reader.js';
import { EnrolmentCreation } from './enrolment/create-enrolment.js';
import { EnrolController } from './enrolment/enrol.controller.js';
import { HostEnrolment } from './enrolment/enrol-host.js';
import { EnrolmentsController } from './enrolment/enrolments.controller.js';
import { EnrolmentsReader } from './enrolment/enrolments.reader.js';
import { UsedEnrolments } from './enrolment/used-enrolments.js';
import { HostVerification } from './enrolment/verify-host.js';
import { ServerBatches } from './server-batches.js';
import { ServerList } from './server-list.js';
import { ServerLookup } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import { ServersController } from './servers.controller.js';
import { ServersService } from './servers.service.js';
import { ServerVariableStore } from './variables/server-variable-store.js';
import { ServerVariablePreview } from './variables/server-variable-preview.js';
import { ServerVariableVault } from './variables/server-variable-vault.js';
import { ServerVariablesController } from './variables/server-variables.controller.js';
import { ServerVariablesService } from './variables/server-variables.service.js';

@Module({
  imports: [AuditModule, EnvironmentsModule, KeysModule, OutboxModule],
  // Order matters: `export` must not match the path of an ID.
  controllers: [
    ServerExportController,
    BulkServersController,
    ServersController,
    ChecksController,
    HostKeysController,
    SharedAddressesController,
    DepartedServersController,
    DoctorController,
    ExternalServersController,
    ServerVariablesController,
    ImportsController,
    RotationsController,
    EnrolmentsController,
    EnrolController,
  ],
  providers: [
    ServersService,
    HostApproval,
    SharedAddresses,
    Departures,
    DepartedServers,
    ServerChanges,
    ServerUpsert,
    ExternalVariables,
    ServerExport,
    BulkSelection,
    BulkServers,
    InventoryReader,
    ImportsReader,
    ImportRequests,
    ImportApplication,
    ImportWorker,
    ServerBatches,
    ServerList,
    ServerChecker,
    CheckWorker,
    CheckRequests,
    ServerFactsReader,
    ServerContacts,
    ServerAdmission,
    ServerHops,
    RotationRights,
    RotationsReader,
    RotationRequests,
    HostRotation,
    RotationWorker,
    EnrolmentsReader,
    EnrolmentCreation,
    UsedEnrolments,
    HostEnrolment,
    HostVerification,
    ServerDoctor,
    ServerLookup,
    ServerViews,
    RunTargetsReader,
    ProtectedHosts,
    HostClaims,
    ServerProtection,
    HostKeyTrust,
    JumpPaths,
    SharedHostKeys,
    SameHostKeys,
    RunHosts,
    ServerMachines,
    ServerObservations,
    AddressReport,
    ServerVariablePreview,
    ServerVariableStore,
    ServerVariableVault,
    ServerVariablesService,
  ],
  exports: [
    ServerLookup,
    ServerVariablePreview,
    ServerVariableVault,
    JumpPaths,
    RunTargetsReader,
    ProtectedHosts,
    SameHostKeys,
    SharedHostKeys,
    RunHosts,
    ServerObservations,
    AddressReport,
  ],
})
export class InventoryModule {}
