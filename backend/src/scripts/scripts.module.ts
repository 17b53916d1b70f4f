import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { GitSourcesModule } from '../git-sources/git-sources.module.js';
import { ScriptInspection } from './script-inspection.js';
import { ScriptReader } from './script.reader.js';
import { ScriptsController } from './scripts.controller.js';
import { ScriptsService } from './scripts.service.js';

@Module({
  imports: [AuditModule, GitSourcesModule],
  controllers: [ScriptsController],
  providers: [ScriptsService, ScriptInspection, ScriptReader],
  exports: [ScriptReader],
})
export class ScriptsModule {}
