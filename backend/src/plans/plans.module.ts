import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { GitSourcesModule } from '../git-sources/git-sources.module.js';
import { InventoryModule } from '../inventory/inventory.module.js';
import { ScriptsModule } from '../scripts/scripts.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { CalledPlans } from './called-plans.js';
import { PlanExchangeController } from './exchange/exchange.controller.js';
import { PlanValidation } from './exchange/plan-validation.js';
import { PlanExport } from './exchange/plan-export.js';
import { PlanImport } from './exchange/plan-import.js';
import { PlanNames } from './exchange/plan-names.js';
import { PlanSchemaController } from './exchange/plan-schema.controller.js';
import { PlanTexts } from './exchange/plan-texts.js';
import { ApplyFile } from './folders/apply-file.js';
import { ApplyFolders } from './folders/apply-folders.js';
import { FolderFiles } from './folders/folder-files.js';
import { PlanFolderWorker } from './folders/folder-worker.js';
import { PlanSyncsController } from './folders/plan-syncs.controller.js';
import { PlanSyncsReader } from './folders/plan-syncs.reader.js';
import { PlanLibrary } from './plan-library.js';
import { PlanWarnings } from './plan-warnings.js';
import { PlanVariablesReader } from './plan-variables.reader.js';
import { PlansController } from './plans.controller.js';
import { PlanRestore } from './revisions/plan-restore.js';
import { PlanRevisionDiff } from './revisions/plan-revision-diff.js';
import { PlanRevisionsController } from './revisions/plan-revisions.controller.js';
import { PlansService } from './plans.service.js';
import { StepRenderer } from './rendering/step-renderer.js';
import { RunPlanReader } from './records/run-plan.reader.js';
import { TargetsPreview } from './targets-preview.js';

@Module({
  imports: [
    AuditModule,
    CollectionsModule,
    EnvironmentsModule,
    GitSourcesModule,
    InventoryModule,
    ScriptsModule,
    TemplatesModule,
  ],
  controllers: [
    ...[PlanExchangeController, PlanSchemaController, PlanRevisionsController, PlansController, PlanSyncsController],
  ],
  providers: [
    ...[PlansService, PlanLibrary, PlanVariablesReader, PlanWarnings, RunPlanReader, TargetsPreview, CalledPlans],
    ...[ApplyFile, ApplyFolders, FolderFiles, PlanFolderWorker, PlanSyncsReader],
    ...[PlanValidation, PlanExport, PlanImport, PlanNames, PlanTexts],
    ...[PlanRevisionDiff, PlanRestore, StepRenderer],
  ],
  exports: [CalledPlans, RunPlanReader, StepRenderer],
})
export class PlansModule {}
