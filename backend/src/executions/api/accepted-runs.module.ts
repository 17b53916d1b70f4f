import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EnvironmentsModule } from '../../environments/environments.module.js';
import { GitSourcesModule } from '../../git-sources/git-sources.module.js';
import { InventoryModule } from '../../inventory/inventory.module.js';
import { KeysModule } from '../../keys/keys.module.js';
import { PlansModule } from '../../plans/plans.module.js';
import { ScriptsModule } from '../../scripts/scripts.module.js';
import { TemplatesModule } from '../../templates/templates.module.js';
import { ApprovalRounds } from '../approval/approval-rounds.js';
import { RunAuthors } from '../approval/authors/run-authors.js';
import { Admissions } from '../guard/admissions.js';
import { RunSecrets } from '../record/run-secrets.js';

const MODULES = [
  AuditModule,
  EnvironmentsModule,
  GitSourcesModule,
  InventoryModule,
  KeysModule,
  PlansModule,
  ScriptsModule,
  TemplatesModule,
];
const PROVIDERS = [ApprovalRounds, RunAuthors, Admissions, RunSecrets];

/** Providers that both starting and running need: approvals, guard admission and secrets of accepted runs. */
@Module({ imports: MODULES, providers: PROVIDERS, exports: [...MODULES, ...PROVIDERS] })
export class AcceptedRunsModule {}
