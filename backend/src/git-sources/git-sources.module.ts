import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { GitBrowser } from './git-browser.js';
import { GitContent } from './git-content.js';
import { GitSourceReader } from './git-source.reader.js';
import { GitSourceChange } from './git-source-change.js';
import { GitSourcesController } from './git-sources.controller.js';
import { GitSourcesService } from './git-sources.service.js';
import { PlanFolderSettings } from './plan-folder-settings.js';
import { MirrorReader } from './mirror/mirror-reader.js';
import { Mirrors } from './mirror/mirrors.js';
import { GitSourceLookup } from './records/git-source-lookup.js';
import { GitSourceVault } from './records/git-source-vault.js';
import { MirrorSweep } from './sync/mirror-sweep.js';
import { GitSourceSynchronizer } from './sync/sync-source.js';
import { GitSyncWorker } from './sync/sync-worker.js';
import { WebhookReceiver } from './webhook/receive-call.js';

@Module({
  imports: [AuditModule, CollectionsModule, KeysModule],
  controllers: [GitSourcesController],
  providers: [
    Mirrors,
    MirrorReader,
    GitSourceVault,
    GitSourceLookup,
    GitSourceChange,
    PlanFolderSettings,
    MirrorSweep,
    GitSourceSynchronizer,
    GitSyncWorker,
    WebhookReceiver,
    GitContent,
    GitBrowser,
    GitSourceReader,
    GitSourcesService,
  ],
  exports: [GitSourceReader],
})
export class GitSourcesModule {}
